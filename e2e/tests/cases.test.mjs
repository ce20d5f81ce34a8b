// The cases of `cases/`, put to the gate of the addon as the extension does.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { OURS } from "../lib/world.mjs";

const cases = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..", "cases");
const addon = createRequire(import.meta.url)(join(OURS, "addon", "countersign.node"));

const verdicts = { allow: "allow", block: "deny", waiting: "ask" };

for (const folder of ["must-allow", "must-ask", "must-block", "bypass", "odd"]) {
  test(`the addon judges cases/${folder} as they say`, () => {
    const all = readdirSync(join(cases, folder)).flatMap((file) =>
      readFileSync(join(cases, folder, file), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
    // What a session learns in other ways than by a file (grants, agents,
    // skills) is put to the library and the program only.
    const put = all.filter((each) => !each.request && !each.calls.some((call) => call.remember));
    assert.ok(put.length > 0);
    for (const each of put) judge(each);
  });
}

function judge(each) {
  // Not below the directory for temporary files: rules speak of it.
  const base = realpathSync(mkdtempSync(join(dirname(OURS), "case-")));
  const home = join(base, "home");
  const places = {
    "{{agent}}": join(home, ".pi/agent"),
    "{{project}}": join(home, "code/app"),
    "{{outside}}": join(home, "code/other"),
    "{{home}}": home,
  };
  const fill = (text) => Object.entries(places).reduce((filled, [name, place]) => filled.replaceAll(name, place), text);
  const put = (path, text) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const before = process.env.HOME;
  process.env.HOME = home;
  let session;
  try {
    for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
    const at = (name) => resolve(places["{{project}}"], fill(name));
    for (const [name, text] of Object.entries(each.files ?? {})) {
      if (text === null) mkdirSync(at(name), { recursive: true });
      else put(at(name), fill(text));
    }
    for (const [name, target] of Object.entries(each.links ?? {})) {
      mkdirSync(dirname(at(name)), { recursive: true });
      symlinkSync(fill(target), at(name));
    }
    const own = "extensions/pi-permission-system/config.json";
    for (const [config, path] of [
      [each.config, join(places["{{agent}}"], own)],
      [each.project, join(places["{{project}}"], ".pi", own)],
    ]) {
      if (typeof config === "string") put(path, config);
      else if (config) put(path, fill(JSON.stringify(config)));
    }
    const options = {
      sessionId: `case-${each.id}`,
      agentDir: places["{{agent}}"],
      cwd: places["{{project}}"],
      hasUi: true,
      trusted: true,
      environment: {},
    };
    session = addon.openSession(JSON.stringify(options), () => {});
    for (const call of each.calls) {
      const input = call.run === undefined ? (call.input ?? null) : { command: call.run };
      const name = call.tool ?? "bash";
      const gate = JSON.parse(session.gate(JSON.stringify({ name, toolCallId: "t", input: JSON.parse(fill(JSON.stringify(input))) })));
      if (gate.requestId) session.cancel(gate.requestId);
      assert.equal(verdicts[gate.kind], call.expect, `${each.id}: ${JSON.stringify(call)} ${JSON.stringify(gate)}`);
    }
  } finally {
    session?.shutdown();
    process.env.HOME = before;
    rmSync(base, { recursive: true, force: true });
  }
}
