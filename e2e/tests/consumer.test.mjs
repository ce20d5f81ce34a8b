// Another extension, written from the public interface only.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fixture, HOSTS, makeWorld, OURS } from "../lib/world.mjs";

for (const host of HOSTS) {
  test(`Pi ${host}: events, queries and registrations`, async () => {
    const world = await makeWorld({
      host,
      packages: [],
      config: {
        permission: { "*": "allow", bash: { "*": "ask", "rm *": { action: "deny", reason: "keep it" } }, path: { "*.secret": "deny" } },
        authorizerChain: ["judge"],
      },
      scripts: {
        run: [
          [["bash", { command: "printf judged" }]],
          [["bash", { command: "printf refused" }]],
          [["bash", { command: "printf person" }]],
          [["look_at", { target: "a.secret" }]],
          [["bash", { command: "rm x" }]],
          "done",
        ],
      },
    });
    try {
      const parent = await world.parent({ args: ["-e", OURS, "-e", fixture("extensions/consumer.mjs")], env: { CONSUMER_OUT: `${world.base}/seen.jsonl` } });
      const prompted = parent.prompt("[script:run] go");
      const dialog = await parent.pick(/^Yes$/);
      assert.match(dialog.title, /printf person/);
      await prompted;
      assert.equal(parent.dialogs.length, 1);
      const results = world.models.resultsOf("run");
      assert.equal(results[0], "judged");
      assert.match(results[1], /not by me/);
      assert.equal(results[2], "person");
      assert.match(results[3], /\[pi-permission-system\]/);
      assert.match(results[4], /keep it/);

      const seen = readFileSync(`${world.base}/seen.jsonl`, "utf8").trim().split("\n").map((line) => JSON.parse(line));
      const of = (channel) => seen.filter((each) => each.channel === channel).map((each) => each.data);
      assert.ok(of("permissions:ready").length >= 2);
      assert.ok(of("permissions:ready").every((event) => event.sessionId === parent.sessionId && event.adjudicatesLocally));
      const [prompt] = of("permissions:ui_prompt");
      assert.equal(of("permissions:ui_prompt").length, 1);
      assert.equal(prompt.value, "printf person");
      const decisions = of("permissions:decision");
      assert.ok(decisions.some((event) => event.requestId === prompt.requestId && event.resolution === "user_approved"));
      assert.ok(decisions.some((event) => event.resolution === "authorizer_allowed"));
      assert.ok(decisions.some((event) => event.resolution === "authorizer_denied"));
      assert.ok(decisions.some((event) => event.resolution === "policy_deny" && event.result === "deny"));

      const [query] = of("query");
      assert.equal(query.rm.state, "deny");
      assert.equal(query.rm.reason, "keep it");
      assert.equal(query.echo.state, "ask");
      assert.equal(query.bash, "ask");
      assert.equal(query.twice, true, "a second registration of one name throws");
      assert.equal(query.older, true, "the older accessor gives the same service");
      await parent.end();
    } finally {
      await world.close();
    }
  });
}
