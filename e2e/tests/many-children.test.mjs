// Several children at once, children that end in any order, that outlive
// their parent, or that would rather not be found.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeWorld, option, until } from "../lib/world.mjs";

let world;
before(async () => {
  world = await makeWorld({
    config: { permission: { "*": "allow", bash: { "*": "ask", "env *": "allow" } } },
    scripts: {
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, n) => [`child${n}`, [[["bash", { command: `printf child${n} > child${n}.txt` }]], "done"]]),
      ),
      waits: [[["bash", { command: "touch waits.txt" }]], "done"],
      hostile: [[["bash", { command: 'env -u PI_SUBAGENT_PARENT_SESSION pi -p "[script:hidden] go"' }]], "done"],
      hidden: [[["bash", { command: "touch hidden.txt" }]], "done"],
    },
  });
});
after(() => world?.close());

test("eight children ask at once; each gets its own answer", async () => {
  // Every second one is refused.
  const parent = await world.parent({
    answer: (dialog) => {
      const n = Number(/child(\d)\.txt/.exec(dialog.title)[1]);
      return option(dialog, n % 2 === 0 ? /^Yes$/ : /^No$/);
    },
  });
  const children = Array.from({ length: 8 }, (_, n) => world.child(`[script:child${n}] go`, { parent: parent.sessionId }));
  await Promise.all(children);
  for (let n = 0; n < 8; n++) assert.equal(world.exists(`project/child${n}.txt`), n % 2 === 0, `child ${n}`);
  assert.equal(parent.dialogs.length, 8);
  await until(() => world.mailbox().every((name) => name.startsWith("serving")), "an empty mailbox");
  await parent.end();
});

test("a child that ends while it asks takes its question with it; the next one is shown", async () => {
  const parent = await world.parent();
  const leaving = world.child("[script:waits] go", { parent: parent.sessionId });
  await parent.dialog();
  leaving.process.kill("SIGKILL");
  await leaving;
  const staying = world.child("[script:child0] go", { parent: parent.sessionId });
  await parent.pick(/^Yes$/);
  await staying;
  assert.ok(!world.exists("project/waits.txt"));
  await parent.end();
});

test("a child that outlives its parent is told that nobody serves", async () => {
  const parent = await world.parent();
  const child = world.child("[script:waits] go", { parent: parent.sessionId });
  await parent.dialog();
  parent.process.kill("SIGKILL");
  await child;
  assert.match(world.models.resultsOf("waits")[0], /is not serving forwarded permission requests/);
  assert.ok(!world.exists("project/waits.txt"));
});

test("a child that hides its parent gains nothing", async () => {
  const parent = await world.parent();
  const prompted = parent.prompt("[script:hostile] go");
  // Hiding the parent is itself a question; even allowed, the child is
  // judged by the same rules, and nobody can answer for it.
  const launch = await Promise.race([parent.dialog().catch(() => undefined), prompted]);
  if (launch) parent.reply(launch, option(launch, /^Yes$/));
  await prompted;
  assert.ok(!world.exists("project/hidden.txt"));
  assert.match(world.models.resultsOf("hidden")[0], /requires approval/);
  await parent.end();
});
