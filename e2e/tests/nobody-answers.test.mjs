// Parents that are not there: the child gives up soon, says why, and nothing
// runs. The time is reported, not asserted; the bound only tells a give-up
// from a wait for the whole timeout (ten minutes).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorld, predecessor, strangerId, until, OURS } from "../lib/world.mjs";

const SCRIPTS = { child: [[["bash", { command: "touch ran.txt" }]], "done"] };
const SOON = 20_000;

let world;
before(async () => {
  world = await makeWorld({ scripts: SCRIPTS, packages: [] });
});
after(() => world?.close());

/** Runs a child that asks `target`, and checks how it gave up. */
async function givesUp(t, target, state) {
  const before = world.logged("forwarded_permission.no_serving_session").length;
  const { elapsed } = await world.child("[script:child] go", { parent: target, args: ["-e", OURS] });
  const [result] = world.models.resultsOf("child");
  assert.match(result, /requires approval, but no interactive UI is available\./);
  assert.ok(result.includes(`Reason: Session '${target}' is not serving forwarded permission requests.`), result);
  const entries = world.logged("forwarded_permission.no_serving_session").slice(before);
  assert.equal(entries.length, 1);
  assert.equal(entries[0].servingState, state);
  assert.equal(entries[0].targetSessionId, target);
  const created = world.logged("forwarded_permission.request_created").find((entry) => entry.requestId === entries[0].requestId);
  const took = Date.parse(entries[0].timestamp) - Date.parse(created.timestamp);
  t.diagnostic(`gave up ${took} ms after asking (whole child: ${elapsed} ms)`);
  assert.ok(took < SOON);
  assert.ok(!world.exists("project/ran.txt"));
}

test("a parent that never was", async (t) => {
  await givesUp(t, strangerId(), "absent");
});

test("a parent that was killed", async (t) => {
  const parent = await world.parent({ args: ["-e", OURS] });
  await until(() => world.mailbox().some((name) => name.includes(parent.sessionId)), "the heartbeat");
  parent.process.kill("SIGKILL");
  await parent.exited;
  await givesUp(t, parent.sessionId, "dead_pid");
});

test("a parent that was stopped", async (t) => {
  const parent = await world.parent({ args: ["-e", OURS] });
  await until(() => world.mailbox().some((name) => name.includes(parent.sessionId)), "the heartbeat");
  parent.process.kill("SIGSTOP");
  await new Promise((done) => setTimeout(done, 5_200));
  await givesUp(t, parent.sessionId, "stale");
  parent.process.kill("SIGCONT");
  await parent.end();
});

test("another session than the one that serves", async (t) => {
  const parent = await world.parent({ args: ["-e", OURS] });
  await givesUp(t, strangerId(), "absent");
  assert.equal(parent.dialogs.length, 0);
  await parent.end();
});

test("the TypeScript predecessor as the parent: it publishes no heartbeat", async (t) => {
  const parent = await world.parent({ args: ["-e", predecessor(world.host)] });
  await givesUp(t, parent.sessionId, "absent");
  await parent.end();
});

test("a child without any parent is told so", async () => {
  await world.child("[script:child] go", { args: ["-e", OURS] });
  const [result] = world.models.resultsOf("child");
  assert.match(result, /requires approval, but no interactive UI is available\./);
  assert.ok(!world.exists("project/ran.txt"));
});
