// Headless runs that ask an inbox instead of a session with an agent.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ID, inbox } from "../lib/inbox.mjs";
import { makeWorld, until } from "../lib/world.mjs";

const SCRIPTS = {
  two: [[["bash", { command: "printf first" }]], [["bash", { command: "printf second" }]], "done"],
  one: [[["bash", { command: "printf only" }]], "done"],
};

test("a headless run is answered from the inbox, line by line", async () => {
  const world = await makeWorld({ scripts: SCRIPTS });
  try {
    const box = await inbox(world, "--plain");
    const child = world.child("[script:two] go", { parent: ID });
    await until(() => box.output().includes("printf first"), "the first question");
    box.type("y");
    await until(() => box.output().includes("printf second"), "the second question");
    box.type("r not on a Friday");
    assert.equal((await child).code, 0);
    const [first, second] = world.models.resultsOf("two");
    assert.equal(first, "first");
    assert.match(second, /not on a Friday/);
    box.type("quit");
    assert.equal(await box.ended, 0);
    const ends = world.logged("permission_request.approved").map((entry) => entry.decidedBy.responderSessionId);
    assert.deepEqual(ends, [ID]);
  } finally {
    await world.close();
  }
});

test("a program answers for the inbox, and one that fails answers nothing", async () => {
  const world = await makeWorld({ scripts: SCRIPTS });
  try {
    const answers = join(world.base, "answer.sh");
    const asked = join(world.base, "asked.jsonl");
    writeFileSync(
      answers,
      `tee -a '${asked}' | if grep -q 'printf first'; then echo approve; else echo perhaps; exit 1; fi\n`,
    );
    const box = await inbox(world, "--exec", `sh '${answers}'`);
    assert.equal((await world.child("[script:two] go", { parent: ID })).code, 0);
    const [first, second] = world.models.resultsOf("two");
    assert.equal(first, "first");
    assert.match(second, /requires approval/);
    assert.doesNotMatch(second, /denied/);
    const questions = readFileSync(asked, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(questions.map((question) => question.value), ["printf first", "printf second"]);
    box.process.kill("SIGINT");
    assert.equal(await box.ended, 0);
  } finally {
    await world.close();
  }
});

test("a question outlives the inbox that is killed, and is answered once", async () => {
  const world = await makeWorld({ scripts: SCRIPTS });
  try {
    const first = await inbox(world, "--plain");
    const child = world.child("[script:one] go", { parent: ID });
    await until(() => first.output().includes("printf only"), "the question");
    first.process.kill("SIGKILL");
    await first.ended;
    const second = await inbox(world, "--plain");
    await until(() => second.output().includes("printf only"), "the question again");
    second.type("y");
    assert.equal((await child).code, 0);
    assert.deepEqual(world.models.resultsOf("one"), ["only"]);
    second.type("quit");
    assert.equal(await second.ended, 0);
    assert.equal(world.logged("forwarded_permission.approved").length, 1);
    assert.deepEqual(world.mailbox(), []);
  } finally {
    await world.close();
  }
});
