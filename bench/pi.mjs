// What the extension costs inside the Pi process: how long it takes to load and
// to decide, and the resident memory it adds. Ours and the predecessor's, over
// the same commands with the same policy, each in a fresh process of the same
// Pi. Prints medians and their ratio.
//
//   node pi.mjs --host <folder of a host's node_modules> --ours <extension> --theirs <extension>
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    host: { type: "string" },
    ours: { type: "string" },
    theirs: { type: "string" },
    rounds: { type: "string", default: "20" },
    starts: { type: "string", default: "5" },
    measure: { type: "string" },
  },
});

/** Gates nothing: only its loading is measured. */
const EMPTY = join(here, "empty.mjs");

if (options.measure) await measure(options.measure);
else compare();

/** The middle value. */
function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Starts each side a few times, alternating, so that all see the same machine. */
function compare() {
  const extensions = { ours: options.ours, theirs: options.theirs, bare: EMPTY };
  const runs = { ours: [], theirs: [], bare: [] };
  for (let start = 0; start < Number(options.starts); start++) {
    for (const [side, extension] of Object.entries(extensions)) {
      // The engine's helper threads make a process tens of megabytes bigger or
      // smaller by chance; without them decisions would be slower.
      const { resident } = inFreshProcess(extension, "0", ["--single-threaded"]);
      runs[side].push({ ...inFreshProcess(extension, options.rounds), resident });
    }
  }
  const of = (side, key) => median(runs[side].map((run) => run[key]));
  const added = (side, key) => of(side, key) - of("bare", key);
  const time = (ms, scale) => (value) => `${(value * scale).toFixed(value * scale < 10 ? 2 : 1)} ${ms}`;
  const [millis, micros] = [time("ms", 1), time("µs", 1000)];
  const size = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  const rows = [
    ["loading the extension", of, "load", millis],
    ["first decision, cold", of, "first", millis],
    ["a decision, warm median", of, "warm", micros],
    ["99th percentile, warm", of, "p99", micros],
    ["resident memory added", added, "resident", size],
  ];
  const [{ commands, pi }] = runs.ours;
  console.log(`${commands} commands, ${options.rounds} rounds, ${options.starts} processes each, Pi ${pi}`);
  console.log(`${"".padEnd(26)}${"ours".padStart(12)}${"predecessor".padStart(16)}${"ratio".padStart(10)}`);
  for (const [label, what, key, show] of rows) {
    const [a, b] = [what("ours", key), what("theirs", key)];
    console.log(`${label.padEnd(26)}${show(a).padStart(12)}${show(b).padStart(16)}${`${(b / a).toFixed(1)}×`.padStart(10)}`);
  }
  // Pi starts its own loader with the first extension, whichever that is.
  console.log(`an empty extension: ${millis(of("bare", "load"))} to load, ${size(of("bare", "resident"))} resident with Pi itself`);
  for (const side of ["ours", "theirs"]) {
    const { blocked } = runs[side][0];
    console.log(`${side === "ours" ? "ours" : "predecessor"}: ${commands - blocked} let through, ${blocked} blocked`);
  }
}

function inFreshProcess(extension, rounds, flags = []) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
  try {
    const agent = join(base, "agent");
    const project = join(base, "project");
    const config = join(agent, "extensions", "pi-permission-system");
    for (const folder of [config, project]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(config, "config.json"), readFileSync(join(here, "policy.json")));
    const run = spawnSync(
      process.execPath,
      ["--no-warnings", "--expose-gc", ...flags, fileURLToPath(import.meta.url), "--host", options.host, "--rounds", rounds, "--measure", extension],
      {
        cwd: project,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: base, PI_CODING_AGENT_DIR: agent, PI_OFFLINE: "1", LANG: "C.UTF-8" },
      },
    );
    if (run.status !== 0) throw new Error(`measuring ${extension} failed: ${run.stderr}${run.stdout}`);
    return JSON.parse(run.stdout.trim().split("\n").at(-1));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** One Pi session with one extension; the decisions go through Pi's own runner. */
async function measure(extension) {
  const root = join(options.host, "@earendil-works", "pi-coding-agent");
  const pi = await import(pathToFileURL(join(root, "dist", "index.js")));
  const agentDir = process.env.PI_CODING_AGENT_DIR;
  const cwd = process.cwd();
  const loader = new pi.DefaultResourceLoader({
    cwd,
    agentDir,
    additionalExtensionPaths: [extension],
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
  });
  const loading = performance.now();
  await loader.reload();
  const load = performance.now() - loading;
  const broken = loader.getExtensions().errors;
  if (broken.length > 0) throw new Error(JSON.stringify(broken));
  const { session } = await pi.createAgentSession({
    cwd,
    agentDir,
    resourceLoader: loader,
    sessionManager: pi.SessionManager.inMemory(cwd),
    tools: ["read", "bash"],
  });
  const failures = [];
  await session.bindExtensions({ mode: "print", onError: (error) => failures.push(error) });
  const runner = session.extensionRunner;
  const commands = readFileSync(join(here, "commands.txt"), "utf8").split("\n").filter(Boolean);
  let serial = 0;
  const decide = async (command) => {
    const event = { type: "tool_call", toolName: "bash", toolCallId: `call-${++serial}`, input: { command } };
    const from = performance.now();
    const result = await runner.emitToolCall(event);
    return { took: performance.now() - from, blocked: result?.block === true, reason: result?.reason };
  };
  const first = await decide(commands[0]);
  let blocked = 0;
  let why;
  for (const command of commands) {
    const decision = await decide(command);
    if (decision.blocked) {
      blocked++;
      why ??= decision.reason;
    }
    if (process.env.SHOW && decision.blocked) console.error(command, "→", decision.reason);
  }
  // After each command was decided once, without what only waits to be freed.
  for (let pass = 0; pass < 4; pass++) {
    globalThis.gc();
    await new Promise((done) => setTimeout(done, 50));
  }
  const resident = process.memoryUsage.rss();
  // A gate that blocks everything is broken, and fast.
  if (blocked === commands.length) throw new Error(`everything is blocked: ${why}`);
  const times = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const command of commands) times.push((await decide(command)).took);
  }
  if (failures.length > 0) throw new Error(`the extension failed: ${JSON.stringify(failures[0])}`);
  times.sort((a, b) => a - b);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  console.log(JSON.stringify({
    load,
    first: first.took,
    warm: median(times),
    p99: times[Math.floor(times.length * 0.99)],
    resident,
    blocked,
    commands: commands.length,
    pi: version,
  }));
  process.exit(0);
}
