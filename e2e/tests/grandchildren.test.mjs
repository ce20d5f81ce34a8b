// Children of children: the question is shown at the root, whichever way the
// sessions between came into being.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AGENT, MAKERS } from "../lib/children.mjs";
import { fixture, HOSTS, makeWorld, OURS } from "../lib/world.mjs";

const LEAF = "[script:leaf] go";
const MIDDLE = "[script:middle] go";
const leafBy = {
  process: ["bash", { command: `pi -p "${LEAF}"` }],
  sdkWithCopy: ["spawn_child", { prompt: LEAF, announce: true, extensions: true, name: "leaf" }],
  sdkWithout: ["spawn_child", { prompt: LEAF, name: "leaf" }],
};
const middleBy = {
  process: ["bash", { command: `pi -p "${MIDDLE}"` }],
  sdkWithCopy: ["spawn_child", { prompt: MIDDLE, announce: true, extensions: true, name: "middle" }],
  sdkWithout: ["spawn_child", { prompt: MIDDLE, name: "middle" }],
  foreground: ["subagent", { agent: "tester", task: MIDDLE, async: false }],
};

const CHAINS = [
  ["process", "process"],
  ["process", "sdkWithCopy"],
  ["process", "sdkWithout"],
  ["sdkWithCopy", "process"],
  ["sdkWithCopy", "sdkWithCopy"],
  ["sdkWithCopy", "sdkWithout"],
  ["sdkWithout", "process"],
  ["foreground", "process"],
];

for (const host of HOSTS) {
  describe(`Pi ${host}`, () => {
    for (const [middle, leaf] of CHAINS) {
      test(`root, ${middle}, ${leaf}`, async () => {
        const world = await makeWorld({
          host,
          packages: [OURS, fixture("extensions/sdk-child.mjs")],
          config: { permission: { "*": "allow", bash: { "*": "ask", "pi *": "allow" } } },
          scripts: {
            main: [[middleBy[middle]], "main done"],
            middle: [[leafBy[leaf]], "middle done"],
            leaf: [[["bash", { command: "touch leaf.txt" }]], "leaf done"],
          },
        });
        try {
          world.write(`${world.agentDir}/agents/tester.md`, AGENT);
          const extension = middle === "foreground" ? ["-e", MAKERS["pi-subagents, foreground"].extension(host)] : [];
          const parent = await world.parent({ args: extension });
          const prompted = parent.prompt("[script:main] go");
          const dialog = await parent.pick(/^Yes$/);
          assert.match(dialog.title, /\(Subagent\)/);
          assert.match(dialog.title, /touch leaf\.txt/);
          await prompted;
          assert.equal(parent.dialogs.length, 1);
          assert.ok(world.exists("project/leaf.txt"));
          await parent.end();
        } finally {
          await world.close();
        }
      });
    }
  });
}
