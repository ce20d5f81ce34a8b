// `pi install` and `pi remove`, as a person does it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HOSTS, makeWorld, OURS } from "../lib/world.mjs";

for (const host of HOSTS) {
  test(`Pi ${host}: installed, it gates; removed, it is gone`, async () => {
    const world = await makeWorld({
      host,
      packages: [],
      config: { permission: { "*": "allow", bash: "deny" } },
      scripts: { run: [[["bash", { command: "touch ran.txt" }]], "done"] },
    });
    try {
      const pi = (...args) => execFileSync(`${world.base}/bin/pi`, args, { cwd: world.project, env: world.env, encoding: "utf8" });
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
