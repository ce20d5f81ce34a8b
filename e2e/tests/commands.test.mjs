// `/permissions`, `/permission-system` and the status line.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { HOSTS, makeWorld, until } from "../lib/world.mjs";

const CONFIG = `{
  // what I allow
  "permission": {
    "*": "ask",
    "bash": { "*": "ask", "rm *": { "action": "deny", "reason": "keep it" } }
  }
}
`;
const STATUS = "pi-permission-system";

/** Sends a command of the extension; its pages arrive as dialogs. */
const command = (session, message) => session.command({ type: "prompt", message });

for (const host of HOSTS) {
  let world;
  let session;
  before(async () => {
    world = await makeWorld({
      host,
      scripts: {
        two: [[["bash", { command: "touch one.txt" }], ["bash", { command: "touch two.txt" }]], "done"],
        again: [[["bash", { command: "touch one.txt" }]], [["bash", { command: "rm one.txt" }]], "done"],
        child: [[["bash", { command: "touch child.txt" }]], "done"],
      },
    });
    writeFileSync(world.configFile, CONFIG);
    session = await world.parent();
  });
  after(() => world?.close());

  test(`Pi ${host}: an approval is shown, taken back, and asked about again`, async () => {
    const prompted = session.prompt("[script:two] go");
    const first = await session.dialog();
    await until(() => session.status[STATUS] === "1 question waits", "the number of questions in the status line");
    session.reply(first, first.options.find((label) => /for this session/.test(label)));
    await prompted;
    await until(() => session.status[STATUS] === undefined, "the status line to be cleared");

    const shown = command(session, "/permissions");
    await session.pick(/^Approvals: 1/);
    await session.pick(/touch \*/);
    await session.pick(/^Take it back/);
    const left = await session.pick(/^Back/);
    assert.deepEqual(left.options, ["Back"]);
    assert.match(session.notices.find((each) => each.notifyType === "info")?.message, /taken back: bash "touch \*"/);
    await session.pick(/^Policy: 3 rules/);
    const rules = await session.pick(/rm \*/);
    assert.deepEqual(rules.options.slice(0, 2), ['bash "rm *": deny (global)', "bash: ask (global)"]);
    const rule = await session.dialog();
    assert.match(rule.title, /config\.json, line 5[\s\S]*reason: keep it/);
    // Dismissed step by step.
    session.reply(rule);
    session.reply(await session.dialog());
    session.reply(await session.dialog());
    await shown;

    const asked = session.prompt("[script:again] go");
    await session.pick(/^No$/);
    await asked;
    const told = command(session, "/permissions decisions");
    const decisions = await session.dialog();
    assert.match(decisions.options[0], /^denied: bash rm one\.txt — by the policy/);
    assert.match(decisions.options[1], /^denied: bash touch one\.txt — by you/);
    session.reply(decisions);
    session.reply(await session.dialog());
    await told;
  });

  test(`Pi ${host}: who is served, and a question goes before a page`, async () => {
    const open = command(session, "/permissions");
    await session.dialog();
    const child = world.child("[script:child] go", { parent: session.sessionId });
    const question = await session.dialog();
    await open;
    await until(() => session.status[STATUS] === "1 question waits (1 of subagents)", "the subagent's question in the status line");
    session.reply(question, "No");
    await child;
    const told = command(session, "/permissions served");
    const served = await session.dialog();
    assert.match(served.options[0], /session [0-9a-f-]+: no question waits/);
    session.reply(served);
    session.reply(await session.dialog());
    await told;
  });

  test(`Pi ${host}: settings keep the file's comments, and a broken file stays as it is`, async () => {
    const changed = command(session, "/permission-system");
    await session.pick(/^yoloMode: off/);
    await session.pick(/^Turn yolo mode on/);
    await session.pick(/^promptMaxRows: 24/);
    const input = await session.dialog();
    assert.equal(input.method, "input");
    session.reply(input, "30");
    const page = await session.dialog();
    assert.ok(page.options.some((label) => label.startsWith("promptMaxRows: 30")));
    session.reply(page);
    await changed;
    await until(() => session.status[STATUS] === "yolo", "the mode in the status line");
    await until(() => session.notices.some((notice) => /yolo mode is on/.test(notice.message)), "a loud notice");
    const text = readFileSync(world.configFile, "utf8");
    assert.match(text, /\/\/ what I allow/);
    assert.match(text, /"yoloMode": true/);

    await command(session, "/permission-system show");
    const show = session.notices.find((notice) => notice.message.startsWith("permission-system: "));
    assert.match(show.message, /yoloMode=on[\s\S]*rules: .*bash\["rm \*"\]=deny \(global\)/);

    const reset = command(session, "/permission-system reset");
    await session.pick(/^Reset/);
    await reset;
    await until(() => session.status[STATUS] === undefined, "the status line to be cleared");

    const broken = `${CONFIG}]`;
    writeFileSync(world.configFile, broken);
    const refused = command(session, "/permission-system");
    assert.match((await session.pick(/^debugLog/)).title, /nothing can be changed/);
    await refused;
    const notice = session.notices.find((each) => each.notifyType === "error");
    assert.match(notice.message, /Failed to save permission-system config[\s\S]*mend it/);
    assert.equal(readFileSync(world.configFile, "utf8"), broken);
    await until(() => session.status[STATUS] === "invalid configuration", "the broken file in the status line");
    await session.end();
  });
}
