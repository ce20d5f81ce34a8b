// Sessions that are replaced, moved or loaded anew: what was approved, who
// waits, who is served, and what other extensions find.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { textOf } from "../lib/model-server.mjs";
import { fixture, HOSTS, makeWorld, until } from "../lib/world.mjs";

const STATUS = "pi-permission-system";

/** A command of a fixture. */
const typed = (session, message) => session.command({ type: "prompt", message });
const firstMessage = async (session) => (await session.command({ type: "get_fork_messages" })).messages[0].entryId;

/** What a person can do, and whether the session is another one afterwards. */
const OPERATIONS = {
  new: { another: true, run: (session) => session.command({ type: "new_session" }) },
  fork: { another: true, run: async (session) => session.command({ type: "fork", entryId: await firstMessage(session) }) },
  clone: { another: true, run: (session) => session.command({ type: "clone" }) },
  resume: {
    another: true,
    run: (session) => session.command({ type: "switch_session", sessionPath: session.earlier }),
    async before(session) {
      await session.prompt("[script:say] go");
      session.earlier = (await session.command({ type: "get_state" })).sessionFile;
      await session.command({ type: "new_session" });
    },
  },
  reload: { another: false, run: (session) => typed(session, "/reload-now") },
  tree: { another: false, keeps: true, run: (session) => typed(session, "/back-to-start") },
};

async function start(host) {
  const world = await makeWorld({
    host,
    scripts: {
      say: ["said"],
      touch: ({ turn, messages }) => {
        const name = messages.map((message) => /name:(\w+)/.exec(textOf(message))?.[1]).findLast(Boolean);
        return turn === 0 ? [["bash", { command: `touch ${name}` }]] : "done";
      },
      // Not what the parent approved.
      child: [[["bash", { command: "mkdir child" }]], "done"],
    },
  });
  const session = await world.parent({ args: ["-e", fixture("extensions/lifecycle.mjs"), "-e", fixture("extensions/reload.mjs")] });
  return { world, session };
}

/** What another extension finds in the session's process. */
async function lookAround(world, session) {
  const file = join(world.base, "seen.json");
  rmSync(file, { force: true });
  await typed(session, `/look-around ${file}`);
  await until(() => existsSync(file), "the fixture's file");
  return JSON.parse(readFileSync(file, "utf8"));
}

const idOf = async (session) => (await session.command({ type: "get_state" })).sessionId;

for (const host of HOSTS) {
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    test(`Pi ${host}: ${name}`, async () => {
      const { world, session } = await start(host);
      try {
        await operation.before?.(session);
        const granted = session.prompt("[script:touch] name:first");
        await session.pick(/for this session/);
        await granted;
        const before = await idOf(session);
        await session.prompt("[script:touch] name:second");
        assert.ok(world.exists("project/second"), "the approval counts");
        await lookAround(world, session);

        // A subagent's question waits meanwhile.
        const child = world.child("[script:child] go", { parent: before });
        const waiting = await session.dialog();
        await until(() => /^1 question waits/.test(session.status[STATUS] ?? ""), "the status line");
        await operation.run(session);
        const now = await until(async () => {
          const id = await idOf(session);
          return (id !== before) === operation.another ? id : undefined;
        }, "the other session");
        if (operation.another) {
          // Whoever answers the old list now answers nobody.
          session.reply(waiting, "Yes");
          const { stdout, stderr } = await child;
          const [result] = world.models.resultsOf("child");
          assert.match(result, /requires approval/, `${stdout}${stderr}`);
          assert.doesNotMatch(result, /user denied/i);
          assert.ok(!world.exists("project/child"));
        } else {
          const question = operation.keeps ? waiting : await session.dialog();
          session.reply(question, "Yes");
          await child;
          assert.ok(world.exists("project/child"));
        }
        await until(() => session.status[STATUS] === undefined, "the status line to be cleared");

        const seen = await lookAround(world, session);
        assert.deepEqual(seen.sessions, [now], "one service, the current session's");
        assert.equal(seen.root, true, "and the older accessor gives the same");
        assert.equal(seen.registered, operation.keeps === true, "registrations end with their session");
        assert.equal(seen.exported, now, "children find the current session");
        await until(() => {
          const served = new Set(world.mailbox().map((file) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(file)?.[0]));
          return served.size === 1 && served.has(now);
        }, "one mailbox, the current session's");

        const again = session.prompt("[script:touch] name:third");
        if (!operation.keeps) await session.pick(/^No$/);
        await again;
        assert.equal(world.exists("project/third"), operation.keeps === true, "approvals end with their session");

        // A subagent that starts now is served.
        rmSync(join(world.project, "child"), { recursive: true, force: true });
        const later = world.child("[script:child] go", { parent: now });
        await session.pick(/^Yes$/);
        await later;
        assert.ok(world.exists("project/child"));
        await session.end();
        assert.deepEqual(world.mailbox(), []);
      } finally {
        await world.close();
      }
    });
  }
}

for (const host of HOSTS) {
  test(`Pi ${host}: a call of its own that waits when the session is replaced does not run`, async () => {
    const { world, session } = await start(host);
    try {
      await session.command({ type: "prompt", message: "[script:touch] name:orphan" });
      const waiting = await session.dialog();
      await session.command({ type: "new_session" });
      session.reply(waiting, "Yes");
      await until(() => session.status[STATUS] === undefined, "the status line to be cleared");
      const [ended] = await until(() => {
        const ends = world.logged("permission_request.denied");
        return ends.length > 0 && ends;
      }, "the question's end in the log");
      assert.equal(ended.resolution, "confirmation_unavailable", "nobody said no");
      assert.deepEqual(world.logged("permission_request.approved"), []);
      const next = session.prompt("[script:touch] name:next");
      await session.pick(/^Yes$/);
      await next;
      assert.ok(world.exists("project/next"));
      assert.ok(!world.exists("project/orphan"));
      await session.end();
    } finally {
      await world.close();
    }
  });
}
