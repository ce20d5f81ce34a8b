// Calls that another call made, and what tools say of themselves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, HOSTS, makeWorld, OURS } from "../lib/world.mjs";

const SCRIPT = `
const run = (name) => tools.bash({ command: "touch " + name }).then(() => "ran " + name, (error) => "no " + error.message);
return (await Promise.all(["by-code-1", "by-code-2"].map(run))).join("; ");
`;

test("nested calls are asked about one by one, under the call that made them", async () => {
  const world = await makeWorld({
    config: { permission: { "*": "allow", bash: "ask", mcp: "ask" } },
    scripts: {
      nested: [[["several", { target: "made" }]], "done"],
      mcp: [[["mcp__docs__search", { target: "x" }]], "done"],
      codemode: [[["codemode", { code: SCRIPT }]], "done"],
    },
  });
  try {
    const session = await world.parent({ args: ["-e", fixture("extensions/nested.mjs"), "--tools", "read,bash,codemode,several,mcp__*"] });
    const prompted = session.prompt("[script:nested] go");
    const first = await session.pick(/^Yes$/);
    const second = await session.pick(/^No$/);
    await prompted;
    for (const dialog of [first, second]) assert.match(dialog.title, /called by +: several · call_/);
    assert.notEqual(/made-\d/.exec(first.title)[0], /made-\d/.exec(second.title)[0]);
    const answer = world.models.resultsOf("nested")[0];
    assert.match(answer, /^yes: /m);
    assert.match(answer, /^no: .*denied/im);
    assert.equal(world.exists("project/made-1") + world.exists("project/made-2"), 1);
    const [asked] = world.logged("permission_request.waiting");
    assert.match(asked.toolCallId, new RegExp(`^${asked.parentToolCallId}/`));

    const searched = session.prompt("[script:mcp] go");
    const search = await session.pick(/^No$/);
    await searched;
    assert.match(search.title, /target +: docs_search/);
    assert.match(search.title, /tool says +: reaches the outside, only reads \(not verified\)/);

    const scripted = session.prompt("[script:codemode] go");
    const one = await session.pick(/^No$/);
    assert.match(one.title, /command +: touch by-code-\d/);
    assert.match(one.title, /called by +: codemode · call_/);
    await session.pick(/^Yes$/);
    await scripted;
    const output = world.models.resultsOf("codemode")[0];
    assert.match(output, /no [\s\S]*denied/);
    assert.match(output, /ran by-code/);
    assert.equal(world.exists("project/by-code-1") + world.exists("project/by-code-2"), 1);
    await session.end();
  } finally {
    await world.close();
  }
});

for (const host of HOSTS) {
  for (const extensions of [true, false]) {
    test(`Pi ${host}: a child ${extensions ? "with" : "without"} extensions has its parent's formatters and extractors`, async () => {
      const world = await makeWorld({
        host,
        packages: [OURS, fixture("extensions/look.mjs")],
        config: { permission: { "*": "allow", look_at: "ask", path: { "*": "allow", "*.secret": "deny" } } },
        scripts: {
          main: [[["spawn_child", { prompt: "[script:child] go", announce: true, extensions }]], "done"],
          child: [[["look_at", { target: "a.secret" }]], [["look_at", { target: "a.txt" }]], [["look_at", { target: "unspeakable" }]], "done"],
        },
      });
      try {
        const session = await world.parent({ args: ["-e", fixture("extensions/sdk-child.mjs")] });
        const prompted = session.prompt("[script:main] go");
        const described = await session.pick(/^Yes$/);
        assert.match(described.title, /a look at «a\.txt»/);
        // A formatter that throws only leaves the words to others.
        assert.match((await session.pick(/^No$/)).title, /"target":"unspeakable"/);
        await prompted;
        const [secret, text, unspeakable] = world.models.resultsOf("child");
        assert.match(secret, /not permitted[\s\S]*\*\.secret/);
        assert.equal(text, "looked at a.txt");
        assert.match(unspeakable, /denied/i);
        await session.end();
      } finally {
        await world.close();
      }
    });
  }
}
