// A project's own policy counts while the person trusts the project.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HOSTS, makeWorld } from "../lib/world.mjs";

const RULES = "extensions/pi-permission-system/config.json";
const SCRIPTS = {
  run: [[["bash", { command: "touch allowed" }], ["bash", { command: "mkdir denied" }]], "done"],
};

/** What the project's file says, against a global file that asks about both. */
const PROJECT = { permission: { bash: { "touch *": "allow", "mkdir *": "deny" } } };

async function worldWithProject(host) {
  const world = await makeWorld({ host, config: { permission: { "*": "ask" } }, scripts: SCRIPTS });
  world.write(join(world.project, ".pi", RULES), PROJECT);
  return world;
}

/** Saves the person's word about a project, as `/trust` does. */
const save = (world, project, trusted) => world.write(join(world.agentDir, "trust.json"), { ...saved(world), [project]: trusted });

function saved(world) {
  try {
    return JSON.parse(readFileSync(join(world.agentDir, "trust.json"), "utf8"));
  } catch {
    return {};
  }
}

/** The person says no to whatever is asked. */
const answer = () => "No";

/** Runs the script and says whether the project's file counted. */
async function counts(world, session) {
  const before = session.dialogs.length;
  await session.prompt("[script:run] go");
  const asked = session.dialogs.length - before;
  const [first, second] = world.models.resultsOf("run").slice(-2);
  if (asked === 0) {
    assert.doesNotMatch(first, /pi-permission-system/);
    assert.match(second, /not permitted/);
    return true;
  }
  // Neither its yes nor its no: both are asked about.
  assert.equal(asked, 2);
  assert.match(first, /denied/);
  assert.match(second, /denied/);
  return false;
}

for (const host of HOSTS) {
  const ways = [
    { way: "nobody said anything", expected: false },
    { way: "the command line says yes", args: ["--approve"], expected: true },
    { way: "the command line says no, whatever is saved", saved: true, args: ["--no-approve"], expected: false },
    { way: "a saved yes", saved: true, expected: true },
    { way: "a saved no", saved: false, expected: false },
  ];
  for (const { way, args = [], saved, expected } of ways) {
    test(`Pi ${host}: ${way}`, async () => {
      const world = await worldWithProject(host);
      try {
        if (saved !== undefined) save(world, world.project, saved);
        const session = await world.parent({ args, answer });
        assert.equal(await counts(world, session), expected);
        const told = session.notices.some((notice) => /project is not trusted/.test(notice.message));
        assert.equal(told, !expected, "what does not count is told");
        await session.end();
      } finally {
        await world.close();
      }
    });
  }

  test(`Pi ${host}: a session of another project brings that project's trust with it`, async () => {
    const world = await worldWithProject(host);
    try {
      const other = join(world.base, "other");
      world.write(join(other, ".pi", RULES), PROJECT);
      save(world, world.project, true);
      const first = await world.parent({ answer });
      assert.equal(await counts(world, first), true);
      const { sessionFile } = await first.command({ type: "get_state" });
      await first.end();

      const session = await world.parent({ cwd: other, answer });
      assert.equal(await counts(world, session), false, "nobody trusts the other project");
      const { sessionFile: own } = await session.command({ type: "get_state" });
      await session.command({ type: "switch_session", sessionPath: sessionFile });
      assert.equal(await counts(world, session), true);
      await session.command({ type: "switch_session", sessionPath: own });
      assert.equal(await counts(world, session), false, "and the trust ends with the session");
      await session.end();
    } finally {
      await world.close();
    }
  });
}
