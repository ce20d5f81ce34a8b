// What the model is told of: skills and tools that can be used.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fixture, HOSTS, makeWorld, OLDEST } from "../lib/world.mjs";

const POLICY = {
  "*": "allow",
  bash: "ask",
  write: "deny",
  skill: { "*": "ask", reports: "allow", secrets: "deny" },
};

async function worldWithSkills(host) {
  const world = await makeWorld({
    host,
    config: { permission: POLICY },
    scripts: {
      nothing: ["done"],
      read: ({ turn }) => {
        const read = (name) => [["read", { path: join(world.agentDir, "skills", name, "SKILL.md") }]];
        return [read("reports"), read("secrets"), read("travel"), "done"][turn];
      },
    },
  });
  for (const name of ["reports", "secrets", "travel"]) {
    const text = `---\nname: ${name}\ndescription: About ${name}.\n---\nThe text of ${name}.\n`;
    world.write(join(world.agentDir, "skills", name, "SKILL.md"), text);
  }
  return world;
}

for (const host of [...HOSTS, OLDEST]) {
  test(`Pi ${host}: the model is told of what it may use, the same on every turn`, async () => {
    const world = await worldWithSkills(host);
    try {
      const session = await world.parent();
      for (let turn = 0; turn < 3; turn++) await session.prompt("[script:nothing] go");
      const requests = world.models.requests.filter((request) => request.script === "nothing");
      const [{ system, tools }] = requests;
      assert.match(system, /<name>reports<\/name>/);
      assert.match(system, /<name>travel<\/name>/);
      assert.doesNotMatch(system, /secrets/);
      assert.match(system, /^- read: /m);
      assert.doesNotMatch(system, /^- write: /m);
      assert.doesNotMatch(system, /Use write only/i);
      assert.ok(tools.includes("read") && !tools.includes("write"));
      for (const later of requests) {
        assert.equal(later.system, system);
        assert.deepEqual(later.tools, tools);
      }

      // What is allowed again comes back.
      writeFileSync(world.configFile, JSON.stringify({ permission: { ...POLICY, write: "ask", skill: "allow" } }));
      await session.prompt("[script:nothing] go");
      const relaxed = world.models.requests.at(-1);
      assert.ok(relaxed.tools.includes("write"));
      assert.match(relaxed.system, /<name>secrets<\/name>/);
      await session.end();
    } finally {
      await world.close();
    }
  });

  test(`Pi ${host}: a skill is gated by name and by its files`, async () => {
    const world = await worldWithSkills(host);
    try {
      const session = await world.parent();
      const prompted = session.prompt("[script:read] go");
      const question = await session.pick(/^No$/);
      assert.match(question.title, /skill +: travel/);
      await prompted;
      const [reports, secrets, travel] = world.models.resultsOf("read");
      assert.match(reports, /The text of reports/);
      assert.match(secrets, /not permitted to access skill 'secrets'/);
      assert.match(travel, /denied/i);

      const asked = world.models.requests.length;
      await session.command({ type: "prompt", message: "/skill:secrets [script:nothing] go" });
      assert.match(session.notices.at(-1).message, /secrets/);
      assert.equal(world.models.requests.length, asked, "the input goes nowhere");
      await session.prompt("/skill:reports [script:nothing] go");
      assert.match(JSON.stringify(world.models.requests.at(-1).messages), /The text of reports/);
      await session.end();
    } finally {
      await world.close();
    }
  });
}

for (const host of [...HOSTS, OLDEST]) {
  test(`Pi ${host}: a child in the same process, without extensions or skills, does not read a denied skill`, async () => {
    const world = await worldWithSkills(host);
    try {
      world.models.scripts.main = [[["spawn_child", { prompt: "[script:child] go" }]], "done"];
      world.models.scripts.child = [[["read", { path: join(world.agentDir, "skills", "secrets", "SKILL.md") }]], "done"];
      const session = await world.parent({ args: ["-e", fixture("extensions/sdk-child.mjs")] });
      await session.prompt("[script:main] go");
      assert.match(world.models.resultsOf("child")[0], /not permitted to access skill 'secrets'/);
      await session.end();
    } finally {
      await world.close();
    }
  });
}
