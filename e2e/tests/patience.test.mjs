// A person who thinks, and what happens meanwhile.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorld, option, predecessor, OURS } from "../lib/world.mjs";

/** Longer than every grace and staleness window. */
const THINKING = 30_000;

let world;
before(async () => {
  world = await makeWorld({
    packages: [],
    scripts: {
      first: [[["bash", { command: "printf first" }]], "done"],
      second: [[["bash", { command: "printf second" }]], "done"],
      old: [[["bash", { command: "printf old" }]], "done"],
    },
  });
});
after(() => world?.close());

test("a person who thinks for half a minute is waited for, and a second child is not refused", async () => {
  const parent = await world.parent({ args: ["-e", OURS] });
  const first = world.child("[script:first] go", { parent: parent.sessionId, args: ["-e", OURS] });
  const dialog = await parent.dialog();
  const second = world.child("[script:second] go", { parent: parent.sessionId, args: ["-e", OURS] });
  await new Promise((done) => setTimeout(done, THINKING));
  parent.reply(dialog, option(dialog, /^Yes$/));
  await parent.pick(/^Yes$/);
  await Promise.all([first, second]);
  assert.deepEqual(world.models.resultsOf("first"), ["first"]);
  assert.deepEqual(world.models.resultsOf("second"), ["second"]);
  assert.equal(world.logged("forwarded_permission.no_serving_session").length, 0);
  await parent.end();
});

test("the TypeScript predecessor as the child is answered", async () => {
  const parent = await world.parent({ args: ["-e", OURS] });
  const child = world.child("[script:old] go", {
    parent: parent.sessionId,
    // It wants a marker beside the parent's id.
    env: { PI_SUBAGENT_CHILD: "1" },
    args: ["-e", predecessor(world.host)],
  });
  const dialog = await parent.pick(/^Yes$/);
  assert.match(dialog.title, /printf old/);
  await child;
  assert.deepEqual(world.models.resultsOf("old"), ["old"]);
  await parent.end();
});
