// Two hundred calls in parallel batches, ten questions open at a time: each
// answer reaches its own call, in order, and nothing is left behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixture, makeWorld, until } from "../lib/world.mjs";

const BATCH = 10;
const ROUNDS = 10;
const STATUS = "pi-permission-system";

const numbers = Array.from({ length: BATCH }, (_, at) => at + 1);
/** The model's own calls of a round, and those a tool makes in it. */
const direct = (round) => numbers.map((number) => `direct-${round}-${number}`);
const nested = (round) => numbers.map((number) => `nested-${round}-${number}`);
/** What the person says: neither always the same nor by turns. */
const approves = (name) => [...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 3 !== 0;

test("two hundred parallel calls", async () => {
  const world = await makeWorld({
    config: { permission: { "*": "allow", bash: "ask" } },
    scripts: {
      stress: ({ turn }) =>
        turn < ROUNDS
          ? [...direct(turn).map((name) => ["bash", { command: `touch ${name}` }]), ["several", { target: `nested-${turn}`, count: BATCH }]]
          : "done",
    },
  });
  try {
    let widest = 0;
    const shown = [];
    const answer = async (dialog) => {
      const [name] = /(direct|nested)-\d+-\d+/.exec(dialog.title);
      shown.push(name);
      // The first of a round waits until all that can come have come.
      if (name.startsWith("nested") && name.endsWith("-1")) {
        await until(() => session.status[STATUS] === `${BATCH} questions wait`, "ten open questions");
      }
      widest = Math.max(widest, Number(/^\d+/.exec(session.status[STATUS] ?? "")?.[0] ?? 0));
      return approves(name) ? "Yes" : "No";
    };
    const session = await world.parent({ args: ["-e", fixture("extensions/nested.mjs")], answer });
    await session.prompt("[script:stress] go");

    const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
    const names = rounds.flatMap((round) => [...direct(round), ...nested(round)]);
    assert.equal(names.length, 200);
    // Direct calls come one after the other, nested ones all at once; both are
    // asked about in the order in which they were made, each once.
    assert.deepEqual(shown, names);
    assert.equal(widest, BATCH);
    for (const name of names) assert.equal(world.exists(`project/${name}`), approves(name), name);

    // What each call was told is the answer to its own question.
    const results = world.models.resultsOf("stress");
    rounds.forEach((round) => {
      const [own, several] = [results.slice(round * (BATCH + 1), -1), results[round * (BATCH + 1) + BATCH]];
      direct(round).forEach((name, at) => assert.equal(!/denied/i.test(own[at]), approves(name), name));
      const told = several.split(/\n(?=yes: |no: )/).map((line) => line.startsWith("yes: "));
      assert.deepEqual(told, nested(round).map(approves));
    });

    // One end for each question, and nothing left.
    const asked = world.logged("permission_request.waiting").map((entry) => entry.requestId);
    const ended = [...world.logged("permission_request.approved"), ...world.logged("permission_request.denied")];
    assert.equal(new Set(asked).size, 200);
    assert.deepEqual(ended.map((entry) => entry.requestId).sort(), asked.sort());
    assert.equal(ended.filter((entry) => entry.resolution === "approved").length, names.filter(approves).length);
    await until(() => session.status[STATUS] === undefined, "the status line to be cleared");
    assert.equal(session.dialogs.length, 200);
    await session.end();
    assert.deepEqual(world.mailbox(), []);
  } finally {
    await world.close();
  }
});
