// A child process that knows nothing but its parent's id, and the person at
// the parent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorld, until } from "../lib/world.mjs";

const bash = (command) => [["bash", { command }]];

let world;
let parent;

before(async () => {
  world = await makeWorld({
    config: { permission: { "*": "allow", bash: { "*": "ask", "ls *": "allow", "rm *": { action: "deny", reason: "keep it" } } } },
    scripts: {
      once: [bash("echo hello"), "done"],
      twice: [bash("printf one"), bash("printf two"), "done"],
      again: [bash("uname -s"), "done"],
      ruled: [bash("ls ."), bash("rm -f nothing"), "done"],
      refused: [bash("touch refused.txt"), "done"],
      reasoned: [bash("touch reasoned.txt"), "done"],
    },
  });
  parent = await world.parent();
});

after(() => world?.close());

test("approve: the child goes on", async () => {
  const child = world.child("[script:once] go", { parent: parent.sessionId });
  const dialog = await parent.pick(/^Yes$/);
  const { code, stdout } = await child;
  assert.equal(code, 0);
  assert.match(stdout, /done/);
  assert.match(dialog.title, /^Permission Required \(Subagent\)/);
  assert.match(dialog.title, /echo hello/);
  assert.deepEqual(world.models.resultsOf("once"), ["hello\n"]);
});

test("approve for this subagent: its next call does not ask", async () => {
  const asked = parent.dialogs.length;
  const child = world.child("[script:twice] go", { parent: parent.sessionId });
  await parent.pick(/for this session$/);
  const reach = await parent.pick(/^This subagent/);
  assert.ok(reach.options.some((option) => /whole session/.test(option)));
  await child;
  assert.deepEqual(world.models.resultsOf("twice"), ["one", "two"]);
  assert.equal(parent.dialogs.length, asked + 2);

  // Another child is asked about: the grant was the first one's.
  const other = world.child("[script:twice] go", { parent: parent.sessionId });
  await parent.pick(/^No$/);
  await parent.pick(/^No$/);
  await other;
});

test("approve for the whole session: a second child does not ask", async () => {
  const first = world.child("[script:again] go", { parent: parent.sessionId });
  await parent.pick(/for this session$/);
  await parent.pick(/whole session/);
  await first;
  const asked = parent.dialogs.length;
  const { stdout } = await world.child("[script:again] go", { parent: parent.sessionId });
  assert.match(stdout, /done/);
  assert.match(world.models.resultsOf("again")[0], /\w/);
  assert.equal(parent.dialogs.length, asked);
  assert.ok(world.logged("forwarded_permission.session_recorded").length >= 1);
});

test("rules decide without a question", async () => {
  const asked = parent.dialogs.length;
  await world.child("[script:ruled] go", { parent: parent.sessionId });
  assert.equal(parent.dialogs.length, asked);
  const [, refused] = world.models.resultsOf("ruled");
  assert.match(refused, /\[pi-permission-system\].*not permitted/);
  assert.match(refused, /keep it/);
});

test("deny: nothing runs, and the child's model is told who said no", async () => {
  const child = world.child("[script:refused] go", { parent: parent.sessionId });
  await parent.pick(/^No$/);
  await child;
  const [result] = world.models.resultsOf("refused");
  assert.match(result, /\[pi-permission-system\]/);
  assert.match(result, /denied/i);
  await assert.rejects(import("node:fs/promises").then((fs) => fs.access(`${world.project}/refused.txt`)));
});

test("deny with a reason: the reason reaches the child's model", async () => {
  const child = world.child("[script:reasoned] go", { parent: parent.sessionId });
  await parent.pick(/^No, provide reason$/);
  const input = await parent.dialog();
  assert.equal(input.method, "input");
  parent.reply(input, "use the other file");
  await child;
  const [result] = world.models.resultsOf("reasoned");
  assert.match(result, /use the other file/);
});

test("the log joins both sides, and no file is left in the mailbox", async () => {
  const created = world.logged("forwarded_permission.request_created");
  const received = world.logged("forwarded_permission.response_received");
  assert.ok(created.length > 0);
  for (const { requestId, targetSessionId } of created) {
    assert.equal(targetSessionId, parent.sessionId);
    const answer = received.find((entry) => entry.requestId === requestId);
    assert.ok(answer, `an answer to ${requestId}`);
    assert.equal(answer.responderSessionId, parent.sessionId);
  }
  await until(() => world.mailbox().every((name) => name.startsWith("serving")), "an empty mailbox");
  await parent.end();
  await until(() => world.mailbox().length === 0, "the heartbeat to be taken back");
});
