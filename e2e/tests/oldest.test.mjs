// The essentials on the oldest supported host. What the host lacks is made up
// for, or blocked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PiTerminal } from "../lib/terminal.mjs";
import { fixture, makeWorld, OLDEST, until } from "../lib/world.mjs";

let world;
before(async () => {
  world = await makeWorld({
    host: OLDEST,
    config: {
      permission: { "*": "allow", bash: { "*": "ask", "printf *": "allow", "rm *": { action: "deny", reason: "keep it" } } },
    },
    scripts: {
      run: [[["bash", { command: "printf allowed" }]], [["bash", { command: "rm x" }]], [["bash", { command: "touch yes.txt" }]], [["bash", { command: "touch no.txt" }]], "done"],
      typed: [[["bash", { command: "touch typed.txt" }]], "all is done"],
      child: [[["bash", { command: "touch child.txt" }]], "done"],
      parallel: [[["bash", { command: "touch one" }], ["bash", { command: "touch two" }], ["bash", { command: "touch three" }]], "done"],
      main: [[["spawn_child", { prompt: "[script:child] go" }]], "done"],
    },
  });
});
after(() => world?.close());

test(`Pi ${OLDEST}: allow, deny and ask, answered over RPC with a reason`, async () => {
  const session = await world.parent();
  const prompted = session.prompt("[script:run] go");
  await session.pick(/^Yes$/);
  await session.pick(/provide reason/);
  const reason = await session.dialog();
  assert.equal(reason.method, "input");
  session.reply(reason, "not today");
  await prompted;
  const [allowed, denied, yes, no] = world.models.resultsOf("run");
  assert.equal(allowed, "allowed");
  assert.match(denied, /keep it/);
  assert.doesNotMatch(yes, /pi-permission-system/);
  assert.match(no, /not today/);
  assert.ok(world.exists("project/yes.txt") && !world.exists("project/no.txt"));
  await session.end();
});

test(`Pi ${OLDEST}: without a person, and with a child process's question`, async () => {
  const alone = await world.child("[script:child] go");
  assert.equal(alone.code, 0, alone.stderr);
  assert.match(world.models.resultsOf("child")[0], /requires approval, but no interactive UI is available/);
  const session = await world.parent();
  const child = world.child("[script:child] go", { parent: session.sessionId });
  assert.match((await session.pick(/^Yes$/)).title, /\(Subagent\)[\s\S]*touch child\.txt/);
  await child;
  assert.ok(world.exists("project/child.txt"));
  await session.end();
});

test(`Pi ${OLDEST}: parallel calls, commands, and a child in the same process`, async () => {
  const session = await world.parent({ args: ["-e", fixture("extensions/sdk-child.mjs")] });
  const prompted = session.prompt("[script:parallel] go");
  await session.pick(/^No$/);
  await session.pick(/for this session/);
  await prompted;
  assert.deepEqual(["one", "two", "three"].map((name) => world.exists(`project/${name}`)), [false, true, true]);

  const taken = session.command({ type: "prompt", message: "/permissions approvals" });
  await session.pick(/touch \*/);
  await session.pick(/^Take it back/);
  session.reply(await session.dialog());
  session.reply(await session.dialog());
  await taken;

  const spawned = session.prompt("[script:main] go");
  await session.pick(/^No$/);
  await spawned;
  await until(() => world.models.resultsOf("child").length > 0, "the child's result");
  assert.match(world.models.resultsOf("child")[0], /denied/i);
  await session.end();
});

test(`Pi ${OLDEST}: the dialog in the terminal`, async () => {
  const terminal = new PiTerminal(world, { args: ["[script:typed] go"] });
  try {
    await terminal.shows(/Permission Required[\s\S]*touch typed\.txt/);
    terminal.send("y");
    await terminal.shows(/Press y again/);
    terminal.send("y");
    await terminal.shows(/all is done/);
    assert.ok(world.exists("project/typed.txt"));
  } finally {
    await terminal.close();
  }
});
