// Whoever makes the child, its question reaches the person, once, and a no is
// a no. Every maker on every supported host.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AGENT, MAKERS } from "../lib/children.mjs";
import { HOSTS, makeWorld, until } from "../lib/world.mjs";

for (const host of HOSTS) {
  describe(`Pi ${host}`, () => {
    for (const [name, maker] of Object.entries(MAKERS)) {
      test(name, async () => {
        const world = await makeWorld({
          host,
          config: { permission: { "*": "allow", bash: { "*": "ask", "pi *": "allow" } } },
          scripts: {
            main: [[maker.call], "main done"],
            child: [[["bash", { command: "printf yes > answered.txt" }]], [["bash", { command: "touch refused.txt" }]], "child done"],
          },
        });
        try {
          world.write(`${world.agentDir}/agents/tester.md`, AGENT);
          const parent = await world.parent({ args: maker.extension ? ["-e", maker.extension(host)] : [] });
          const prompted = parent.prompt("[script:main] go");
          if (host === "1.6.0" && name === "pi-subagents, background") {
            // This version of the extension cannot start it on this host.
            await prompted;
            assert.match(world.models.resultsOf("main")[0], /Failed to start async run/);
            await parent.end();
            return;
          }
          const asked = await parent.pick(/^Yes$/);
          assert.match(asked.title, /\(Subagent\)/);
          assert.match(asked.title, /answered\.txt/);
          const refused = await parent.pick(/^No$/);
          assert.match(refused.title, /refused\.txt/);
          await prompted;
          await until(() => world.models.requests.some((request) => request.script === "child" && request.turn === 2), "the child's end");
          assert.ok(world.exists("project/answered.txt"));
          assert.ok(!world.exists("project/refused.txt"));
          assert.match(world.models.resultsOf("child")[1], /\[pi-permission-system\].*denied/is);
          // Once each, never twice.
          assert.equal(parent.dialogs.length, 2);
          await parent.end();
        } finally {
          await world.close();
        }
      });
    }
  });
}
