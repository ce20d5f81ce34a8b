// docs/extension-api.md: its examples compile, and the whole one runs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { fixture, HOSTS, hostPackage, makeWorld, OURS } from "../lib/world.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const page = readFileSync(join(root, "..", "docs", "extension-api.md"), "utf8");
const examples = [...page.matchAll(/^```ts *(\S*)\n([\s\S]*?)^```$/gm)].map(([, name, text], at) => ({ name: name || `example-${at}.ts`, text }));

/** Things the types must not allow, each on its own line. */
const MISUSES = [
  `getPermissionsService();`,
  `getPermissionsService("s")!.registerAuthorizer("x", () => ({ kind: "yes" }));`,
  `getPermissionsService("s")!.registerToolAccessExtractor("x", () => 1);`,
  `const state: "allowed" = getPermissionsService("s")!.getToolPermission("read");`,
  `getPermissionsService("s")!.checkPermission("bash").state = "maybe";`,
];

/** Compiles `files`; every line the compiler complains about is given back. */
function compile(files) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-types-"));
  try {
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    const modules = join(folder, "node_modules", "@countersign");
    mkdirSync(modules, { recursive: true });
    symlinkSync(OURS, join(modules, "pi"));
    symlinkSync(dirname(hostPackage("1.6.0", "@earendil-works/pi-coding-agent")), join(folder, "node_modules", "@earendil-works"));
    const options = { strict: true, noEmit: true, target: "es2022", module: "nodenext", skipLibCheck: true, preserveSymlinks: true, types: [] };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(folder, "node.d.ts"), "declare const process: { stderr: { write(text: string): void } };");
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", folder], { encoding: "utf8" });
    // Lines that begin with blanks continue the one before.
    return stdout.split("\n").filter((line) => /^\S/.test(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the examples compile against the published types", () => {
  assert.ok(examples.length >= 3, "the page has its examples");
  assert.deepEqual(compile(examples), []);
});

test("the types refuse wrong uses", () => {
  const text = ['import { getPermissionsService } from "@countersign/pi";', ...MISUSES].join("\n");
  const lines = new Set(compile([{ name: "misuse.ts", text }]).map((line) => Number(/\((\d+),/.exec(line)?.[1])));
  assert.deepEqual([...lines].sort(), MISUSES.map((_, at) => at + 2));
});

for (const host of HOSTS) {
  test(`Pi ${host}: the whole example runs, before and after a reload`, async () => {
    const { name, text } = examples[0];
    const world = await makeWorld({
      host,
      packages: [],
      config: {
        permission: { "*": "allow", release: "ask", path: { "secret/*": "deny" }, bash: { "git push": "ask" } },
        authorizerChain: ["release-policy"],
      },
      scripts: {
        run: [[["release", { version: "1.2", folder: "public" }]], [["release", { version: "1.3", folder: "secret/x" }]], "done"],
      },
    });
    try {
      const folder = join(world.base, "example");
      mkdirSync(join(folder, "node_modules", "@countersign"), { recursive: true });
      cpSync(OURS, join(folder, "node_modules", "@countersign", "pi"), { recursive: true });
      writeFileSync(join(folder, name), text);
      const parent = await world.parent({ args: ["-e", OURS, "-e", join(folder, name), "-e", fixture("extensions/reload.mjs")] });
      for (const round of ["before", "after"]) {
        const prompted = parent.prompt("[script:run] go");
        const dialog = await parent.pick(/^Yes$/);
        assert.match(dialog.title, /version 1\.2 of public/, round);
        await prompted;
        const results = world.models.resultsOf("run");
        assert.equal(results.at(-2), "released", round);
        assert.match(results.at(-1), /\[pi-permission-system\]/, round);
        if (round === "before") await parent.command({ type: "prompt", message: "/reload-now" });
      }
      const log = readFileSync(join(world.agentDir, "extensions/pi-permission-system/logs/pi-permission-system-permission-review.jsonl"), "utf8");
      assert.match(log, /release_policy\.consulted/);

      // The link's word counts: with pushing denied it denies.
      const config = JSON.parse(readFileSync(world.configFile, "utf8"));
      config.permission.bash["git push"] = "deny";
      world.write(world.configFile, config);
      await parent.prompt("[script:run] go");
      assert.match(world.models.resultsOf("run").at(-2), /pushing is forbidden here/);
      await parent.end();
    } finally {
      await world.close();
    }
  });
}
