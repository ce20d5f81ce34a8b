// What child processes inherit, and sessions that replace one another.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fixture, makeWorld, until } from "../lib/world.mjs";

const SAY = 'printf %s "$PI_SUBAGENT_PARENT_SESSION"';

let world;
before(async () => {
  world = await makeWorld({
    config: { permission: { "*": "allow", bash: { "*": "ask", "printf *": "allow", "pi *": "allow" } } },
    scripts: {
      say: [[["bash", { command: SAY }]], "done"],
      middle: [[["bash", { command: SAY }]], [["bash", { command: 'pi -p "[script:leaf] go"' }]], "done"],
      leaf: [[["bash", { command: SAY }]], [["bash", { command: "touch leaf.txt" }]], "leaf done"],
    },
  });
});
after(() => world?.close());

test("processes started by a session inherit its id, also after /new", async () => {
  const parent = await world.parent();
  await parent.prompt("[script:say] go");
  assert.deepEqual(world.models.resultsOf("say"), [parent.sessionId]);

  await parent.command({ type: "new_session" });
  const { sessionId } = await parent.command({ type: "get_state" });
  assert.notEqual(sessionId, parent.sessionId);
  await parent.prompt("[script:say] go");
  assert.deepEqual(world.models.resultsOf("say"), [sessionId]);

  // The new session is the one that answers now.
  const child = world.child("[script:leaf] go", { parent: sessionId });
  await parent.pick(/^Yes$/);
  await child;
  assert.ok(world.exists("project/leaf.txt"));
  await parent.end();
});

test("a session whose environment names itself asks its own person", async () => {
  const id = "019ff969-c34c-70be-9034-fae19c852932";
  const parent = await world.parent({ sessionId: id, env: { PI_SUBAGENT_PARENT_SESSION: id } });
  const prompted = parent.prompt("[script:leaf] go");
  const dialog = await parent.pick(/^No$/);
  assert.doesNotMatch(dialog.title, /\(Subagent\)/);
  await prompted;
  await parent.end();
});

test("a grandchild's question is shown at the root, through the session between", async () => {
  const parent = await world.parent();
  const child = world.child("[script:middle] go", { parent: parent.sessionId });
  const dialog = await parent.pick(/^Yes$/, 30_000);
  assert.match(dialog.title, /touch leaf\.txt/);
  await child;
  const [middle] = world.models.resultsOf("middle");
  const [leaf] = world.models.resultsOf("leaf");
  assert.notEqual(middle, parent.sessionId, "the session between names itself");
  assert.notEqual(leaf, middle, "and so does the grandchild");
  await parent.end();
});

test("a question that waits while everything is reloaded is put again", async () => {
  const parent = await world.parent({ args: ["-e", fixture("extensions/reload.mjs")] });
  const child = world.child("[script:leaf] go", { parent: parent.sessionId });
  await parent.dialog();
  await parent.command({ type: "prompt", message: "/reload-now" });
  await parent.pick(/^Yes$/);
  await child;
  assert.doesNotMatch(world.models.resultsOf("leaf").join("\n"), /pi-permission-system/);
  await parent.prompt("[script:say] go");
  assert.deepEqual(world.models.resultsOf("say"), [parent.sessionId], "and the environment still names this session");
  await parent.end();
});

test("the setting `exportSession: false` leaves the environment alone", async () => {
  world.write(world.configFile, { permission: { "*": "allow", bash: "allow" }, exportSession: false });
  const parent = await world.parent();
  await parent.prompt("[script:say] go");
  assert.doesNotMatch(world.models.resultsOf("say")[0], new RegExp(parent.sessionId));
  await parent.end();
  await until(() => !world.mailbox().some((name) => name.includes(parent.sessionId)), "the heartbeat to be taken back");
});
