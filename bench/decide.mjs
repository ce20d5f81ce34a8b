// How long a decision takes inside the Pi process: ours and the
// predecessor's, over the same commands with the same policy, each in a fresh
// process of the same Pi. Prints medians and their ratio.
//
//   node decide.mjs --host <folder of a host's node_modules> --ours <extension> --theirs <extension>
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

/** Starts each side a few times, alternating, so that both see the same machine. */
function compare() {
  const sides = { ours: [], theirs: [] };
  for (let start = 0; start < Number(options.starts); start++) {
    for (const side of Object.keys(sides)) sides[side].push(inFreshProcess(options[side]));
  }
  const of = (side, key) => median(sides[side].map((run) => run[key]));
  // Pi starts its own loader with the first extension, whichever that is.
  const bare = median(Array.from({ length: Number(options.starts) }, () => inFreshProcess(EMPTY).load));
  const rows = [
    ["loading the extension", "load", "ms", 1],
    ["first decision, cold", "first", "ms", 1],
    ["a decision, warm median", "warm", "µs", 1000],
    ["99th percentile, warm", "p99", "µs", 1000],
  ];
  console.log(`${sides.ours[0].commands} commands, ${options.rounds} rounds, ${options.starts} processes each, Pi ${sides.ours[0].pi}`);
  console.log(`${"".padEnd(26)}${"ours".padStart(12)}${"predecessor".padStart(16)}${"ratio".padStart(10)}`);
  for (const [label, key, unit, scale] of rows) {
    const [a, b] = [of("ours", key), of("theirs", key)];
    const show = (ms) => `${(ms * scale).toFixed(ms * scale < 10 ? 2 : 1)} ${unit}`;
    console.log(`${label.padEnd(26)}${show(a).padStart(12)}${show(b).padStart(16)}${`${(b / a).toFixed(1)}×`.padStart(10)}`);
  }
  console.log(`an empty extension takes ${bare.toFixed(1)} ms to load`);
  for (const side of Object.keys(sides)) {
    const { blocked, commands } = sides[side][0];
    console.log(`${side === "ours" ? "ours" : "predecessor"}: ${commands - blocked} let through, ${blocked} blocked`);
  }
}

function inFreshProcess(extension) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
  try {
    const agent = join(base, "agent");
    const project = join(base, "project");
    const config = join(agent, "extensions", "pi-permission-system");
    for (const folder of [config, project]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(config, "config.json"), readFileSync(join(here, "policy.json")));
    const run = spawnSync(
      process.execPath,
      ["--no-warnings", fileURLToPath(import.meta.url), "--host", options.host, "--rounds", options.rounds, "--measure", extension],
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
  if (extension === EMPTY) return console.log(JSON.stringify({ load }));
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
    blocked,
    commands: commands.length,
    pi: version,
  }));
  process.exit(0);
}
