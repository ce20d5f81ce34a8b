// Whatever is broken, nothing runs that nobody allowed.
import assert from "node:assert/strict";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { HOSTS, makeWorld, OURS, predecessor } from "../lib/world.mjs";

const SCRIPTS = { run: [[["bash", { command: "touch ran.txt" }]], "done"] };

/** Runs one call in a session without a person, in a world made for it. */
async function run(options, arrange = () => {}) {
  const world = await makeWorld({ packages: [], scripts: SCRIPTS, ...options });
  try {
    const args = (arrange(world) ?? [OURS]).flatMap((each) => ["-e", each]);
    const { stderr } = await world.child("[script:run] go", { args });
    return { result: world.models.resultsOf("run")[0], ran: world.exists("project/ran.txt"), stderr };
  } finally {
    await world.close();
  }
}

for (const host of HOSTS) {
  describe(`Pi ${host}`, () => {
    const allowed = { host, config: { permission: { "*": "allow" } } };

    test("with everything allowed the call runs", async () => {
      const { ran, result, stderr } = await run(allowed);
      assert.ok(ran, `${result}\n${stderr}`);
    });

    test("without the addon every call is blocked, with what to do", async () => {
      const { result, ran } = await run(allowed, (world) => {
        const copy = join(world.base, "package");
        cpSync(OURS, copy, { recursive: true });
        rmSync(join(copy, "addon"), { recursive: true });
        return [copy];
      });
      assert.ok(!ran);
      assert.match(result, /\[pi-permission-system\].*could not start/);
      assert.match(result, /pi install/);
    });

    test("with a broken addon every call is blocked", async () => {
      const { result, ran } = await run(allowed, (world) => {
        const copy = join(world.base, "package");
        cpSync(OURS, copy, { recursive: true });
        writeFileSync(join(copy, "addon", "countersign.node"), "not a library");
        return [copy];
      });
      assert.ok(!ran);
      assert.match(result, /could not start/);
    });

    for (const order of ["first", "last"]) {
      test(`beside another permission system, loaded ${order}, every call is blocked and says so`, async () => {
        const both = [OURS, predecessor(host)];
        const { result, ran } = await run(allowed, () => (order === "first" ? both.reverse() : both));
        assert.ok(!ran);
        assert.match(result, /another permission system/);
      });
    }

    test("a broken configuration asks, and with nobody there blocks", async () => {
      const { result, ran } = await run({ host, config: '{ "permission": { "*": "allow" ' });
      assert.ok(!ran);
      assert.match(result, /requires approval/);
    });

    test("an input that another extension changes after it was allowed is judged again", async () => {
      const { result, ran } = await run({ host, config: { permission: { "*": "allow", bash: { "*": "deny", "true": "allow" } } } }, (world) => {
        const changer = join(world.base, "changer.mjs");
        writeFileSync(
          changer,
          'export default (pi) => { pi.on("tool_call", (event) => { event.input.command = "touch ran.txt"; }); };',
        );
        world.models.scripts.run = [[["bash", { command: "true" }]], "done"];
        return [OURS, changer];
      });
      assert.ok(!ran);
      assert.match(result, /not permitted/);
    });
  });
}
