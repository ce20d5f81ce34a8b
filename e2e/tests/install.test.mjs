// `pi install` and `pi remove`, as a person does it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HOSTS, makeWorld, NPM_PACKAGES, OURS } from "../lib/world.mjs";

const piOf = (world) => (...args) => execFileSync(`${world.base}/bin/pi`, args, { cwd: world.project, env: world.env, encoding: "utf8" });

test("the packed package is installed through npm", async () => {
  const world = await denyingWorld();
  try {
    piOf(world)("install", `npm:@countersign/pi@file:${OURS}.tgz`);
    await world.child("[script:run] go");
    assert.ok(!world.exists("project/ran.txt"));
    assert.ok(!world.models.requests[0].tools.includes("bash"));
  } finally {
    await world.close();
  }
});

test("the published packages find each other, and one without its addon blocks every call", async () => {
  const world = await denyingWorld();
  try {
    const folder = join(world.base, "npm");
    world.write(join(folder, "package.json"), {});
    const packed = readdirSync(NPM_PACKAGES).filter((file) => file.endsWith(".tgz")).map((file) => join(NPM_PACKAGES, file));
    assert.equal(packed.length, 2);
    // Offline: addons for other platforms are optional, and must stay so.
    execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--legacy-peer-deps", ...packed], { cwd: folder, env: world.env, stdio: "pipe" });
    const ours = join(folder, "node_modules", "@countersign");
    piOf(world)("install", join(ours, "pi"));
    await world.child("[script:run] go");
    assert.ok(!world.exists("project/ran.txt"));
    assert.ok(!world.models.requests[0].tools.includes("bash"));

    for (const name of readdirSync(ours).filter((name) => name !== "pi")) rmSync(join(ours, name), { recursive: true });
    await world.child("[script:read] go");
    assert.match(world.models.requests.at(-1).results.join(), /could not start, so every tool call is blocked: there is no addon/);
  } finally {
    await world.close();
  }
});

function denyingWorld() {
  return makeWorld({
    packages: [],
    config: { permission: { "*": "allow", bash: "deny" } },
    scripts: {
      run: [[["bash", { command: "touch ran.txt" }]], "done"],
      read: [[["read", { path: "nothing.txt" }]], "done"],
    },
  });
}

for (const host of HOSTS) {
  test(`Pi ${host}: installed, it gates; removed, it is gone`, async () => {
    const world = await makeWorld({
      host,
      packages: [],
      config: { permission: { "*": "allow", bash: "deny" } },
      scripts: { run: [[["bash", { command: "touch ran.txt" }]], "done"] },
    });
    try {
      const pi = piOf(world);
      const settings = () => JSON.parse(readFileSync(`${world.agentDir}/settings.json`, "utf8"));
      pi("install", OURS);
      assert.equal(settings().packages.length, 1);
      await world.child("[script:run] go");
      assert.ok(!world.exists("project/ran.txt"));
      // A tool of which nothing can be allowed is not shown to the model.
      assert.ok(!world.models.requests[0].tools.includes("bash"));

      pi("remove", OURS);
      assert.equal(settings().packages?.length ?? 0, 0);
      await world.child("[script:run] go");
      assert.ok(world.exists("project/ran.txt"));
    } finally {
      await world.close();
    }
  });
}
