// The dialog in a real terminal, answered by keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { breath, PiTerminal } from "../lib/terminal.mjs";
import { makeWorld } from "../lib/world.mjs";

let world;
let terminal;

before(async () => {
  world = await makeWorld({
    scripts: {
      yes: [[["bash", { command: "touch yes.txt" }]], "all is done"],
      no: [[["bash", { command: "touch no.txt" }]], "nothing was done"],
      grant: [[["bash", { command: "touch grant.txt" }]], "granted it is"],
      typing: [[["bash", { command: "touch typing.txt" }]], "child done"],
      child: [[["bash", { command: "touch child.txt" }]], "child done"],
    },
  });
  terminal = new PiTerminal(world);
});

after(async () => {
  await terminal?.close();
  await world?.close();
});

test("a letter counts when it is pressed twice", async () => {
  await terminal.shows(/script/i);
  await terminal.enter("[script:yes] go");
  await terminal.shows(/Permission Required/);
  await terminal.shows(/touch yes\.txt/);
  terminal.send("y");
  await terminal.shows(/Press y again/);
  assert.ok(!world.exists("project/yes.txt"));
  terminal.send("y");
  await terminal.shows(/all is done/);
  assert.ok(world.exists("project/yes.txt"));
});

test("a no with a reason that is typed", async () => {
  await terminal.enter("[script:no] go");
  await terminal.shows(/touch no\.txt/);
  terminal.send("r");
  await terminal.shows(/Press r again/);
  terminal.send("r");
  for (const key of "not today") terminal.send(key);
  await terminal.shows(/today/);
  terminal.send("\r");
  await terminal.shows(/nothing was done/);
  assert.match(world.models.resultsOf("no")[0], /not today/);
});

test("approvals are listed and taken back in the terminal", async () => {
  await terminal.enter("[script:grant] go");
  await terminal.shows(/touch grant\.txt/);
  terminal.send("s");
  await terminal.shows(/Press s again/);
  terminal.send("s");
  await terminal.shows(/granted it is/);
  await breath();
  terminal.send("/permissions approvals");
  await terminal.shows(/\/permissions approvals/);
  await breath();
  terminal.send("\r");
  await terminal.shows(/bash "touch \*" — this session/);
  terminal.send("\r");
  await terminal.shows(/Take back this approval\?/);
  // Down, to the second entry.
  terminal.send("\x1b[B");
  await breath();
  terminal.send("\r");
  await terminal.shows(/taken back: bash "touch \*"/);
  await terminal.shows(/Nothing is approved beyond the policy/);
  terminal.send("\x1b");
  await terminal.shows(/Permissions of this session/);
  terminal.send("\x1b");
  await breath();
});

test("a child's question takes the place of an open page, and is refused with Escape", async () => {
  terminal.send("/permissions");
  await terminal.shows(/\/permissions/);
  await breath();
  terminal.send("\r");
  await terminal.shows(/Permissions of this session/);
  const { sessionId } = world.logged("forwarded_permission.serving_started")[0];
  const child = world.child("[script:child] go", { parent: sessionId });
  await terminal.shows(/\(Subagent\)/);
  await terminal.shows(/touch child\.txt/);
  terminal.send("\x1b");
  await child;
  assert.match(world.models.resultsOf("child")[0], /denied/i);
  assert.ok(!world.exists("project/child.txt"));
});

test("a person who is typing when a question appears does not answer it", async () => {
  const { sessionId } = world.logged("forwarded_permission.serving_started")[0];
  const child = world.child("[script:typing] go", { parent: sessionId });
  const from = terminal.drawn.length;
  for (let tries = 0; tries < 400 && !/You were typing/.test(terminal.drawn.slice(from)); tries++) {
    terminal.send(tries % 9 === 8 ? " " : "s");
    await breath(60);
  }
  await terminal.shows(/You were typing/);
  assert.deepEqual(world.logged("permission_request.approved").filter((entry) => /typing/.test(entry.command ?? "")), []);
  await breath(700);
  terminal.send("\x1b");
  await child;
  assert.match(world.models.resultsOf("typing")[0], /denied/i);
  assert.ok(!world.exists("project/typing.txt"));
  // What was typed before is still there to go on with.
  await terminal.shows(/s{2,} ?s*/);
});
