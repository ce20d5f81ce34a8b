// A throw-away home, agent directory and project for real Pi processes.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { startModelServer } from "./model-server.mjs";
import { Rpc } from "./rpc.mjs";
export { option } from "./rpc.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "..");

/** The supported hosts that the tests run against. */
export const HOSTS = ["1.6.0", "0.87.1"];

/** The host that the essentials also run against. */
export const OLDEST = "0.79.1";

/** The built Pi package: `COUNTERSIGN_PI_PACKAGE`, else `target/pi-package`. */
export const OURS = process.env.COUNTERSIGN_PI_PACKAGE ?? resolve(root, "..", "target", "pi-package");

/** The packages for npm, packed: `COUNTERSIGN_NPM_PACKAGES`, else `target/npm`. */
export const NPM_PACKAGES = process.env.COUNTERSIGN_NPM_PACKAGES ?? resolve(root, "..", "target", "npm");

/** The folder of a package installed beside a host. */
export function hostPackage(host, name) {
  return join(root, "hosts", `pi-${host}`, "node_modules", name);
}

/** The TypeScript predecessor, from npm. */
export function predecessor(host) {
  return hostPackage(host, "@gotgenes/pi-permission-system");
}

/** A file of this folder. */
export function fixture(name) {
  return join(root, "fixtures", name);
}

const EXTENSION = "pi-permission-system";

/** Waits until `probe` gives something truthy; fails after `limit` ms. */
export async function until(probe, what, limit = 30_000) {
  const end = Date.now() + limit;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`still waiting for ${what} after ${limit} ms`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/**
 * Makes a world. `packages` (folders, as `pi install` has them, or single
 * files) are loaded by every session; `config` is the permission configuration.
 */
export async function makeWorld({ host = "1.6.0", packages = [OURS], config = { permission: { "*": "allow", bash: "ask" } }, scripts = {} } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "countersign-e2e-")));
  const home = join(base, "home");
  const agentDir = join(base, "agent");
  const project = join(base, "project");
  const bin = join(base, "bin");
  for (const folder of [home, agentDir, project, bin]) mkdirSync(folder, { recursive: true });

  const models = await startModelServer({ ...scripts });
  const write = (path, value) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value, null, 2));
  };
  write(join(agentDir, "models.json"), {
    providers: {
      scripted: {
        baseUrl: models.url,
        api: "openai-completions",
        apiKey: "none",
        models: [{ id: "script", name: "Script", contextWindow: 100_000, maxTokens: 4_000 }],
      },
    },
  });
  const isFile = (path) => /\.[cm]?[jt]s$/.test(path);
  write(join(agentDir, "settings.json"), {
    defaultProvider: "scripted",
    defaultModel: "script",
    packages: packages.filter((each) => !isFile(each)),
    extensions: packages.filter(isFile),
    quietStartup: true,
    enableInstallTelemetry: false,
  });
  const configFile = join(agentDir, "extensions", EXTENSION, "config.json");
  if (config) write(configFile, config);

  // `pi` on the path, as a person has it: children find it there.
  const dist = join(hostPackage(host, "@earendil-works/pi-coding-agent"), "dist");
  const cli = join(dist, ...(host === OLDEST ? ["cli.js"] : ["bundle", "cli.js"]));
  const shim = join(bin, "pi");
  write(shim, `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(shim, 0o755);

  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: process.env.TMPDIR ?? tmpdir(),
    LANG: "C.UTF-8",
    PI_CODING_AGENT_DIR: agentDir,
    PI_OFFLINE: "1",
    PI_SKIP_VERSION_CHECK: "1",
    PI_TELEMETRY: "0",
  };

  const running = new Set();
  const world = {
    host, base, home, agentDir, project, models, env, cli, configFile, write,

    /** Starts a session with a person: `pi --mode rpc`. */
    async parent({ args = [], env: more = {}, cwd = project, answer, sessionId } = {}) {
      const child = spawn(process.execPath, [cli, "--mode", "rpc", ...(sessionId ? ["--session-id", sessionId] : []), ...args], {
        cwd,
        env: { ...env, ...more },
        stdio: ["pipe", "pipe", "pipe"],
      });
      running.add(child);
      const rpc = new Rpc(child, answer);
      if (host === OLDEST) rpc.settles = "agent_end";
      const state = await rpc.command({ type: "get_state" });
      rpc.sessionId = state.sessionId;
      return rpc;
    },

    /** Starts a session without a person: `pi -p`. Resolves at its exit. */
    child(prompt, { parent, args = [], env: more = {}, cwd = project } = {}) {
      const started = Date.now();
      const child = spawn(process.execPath, [cli, "-p", ...args, prompt], {
        cwd,
        env: { ...env, ...(parent ? { PI_SUBAGENT_PARENT_SESSION: parent } : {}), ...more },
        stdio: ["ignore", "pipe", "pipe"],
      });
      running.add(child);
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => (stdout += chunk));
      child.stderr.on("data", (chunk) => (stderr += chunk));
      const done = new Promise((resolveExit) =>
        child.on("close", (code, signal) => {
          running.delete(child);
          resolveExit({ code, signal, stdout, stderr, elapsed: Date.now() - started });
        }),
      );
      return Object.assign(done, { process: child });
    },

    /** Whether a file below the world's folder exists. */
    exists(path) {
      return existsSync(join(base, path));
    },

    /** The entries of the review log, oldest first. */
    reviewLog() {
      const file = join(agentDir, "extensions", EXTENSION, "logs", `${EXTENSION}-permission-review.jsonl`);
      if (!existsSync(file)) return [];
      return readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
    },

    /** The review entries of one event. */
    logged(event) {
      return world.reviewLog().filter((entry) => entry.event === event);
    },

    /** Files still in the mailbox, relative to its root. */
    mailbox() {
      const folder = join(agentDir, "sessions", "permission-forwarding");
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".json")).map(String);
    },

    async close() {
      for (const child of running) {
        try {
          child.kill("SIGCONT");
          child.kill("SIGKILL");
        } catch { /* already gone */ }
      }
      await models.close();
      killLeftovers(base);
      if (!process.env.KEEP_WORLD) removeWorld(base);
    },
  };
  return world;
}

/** Ends detached processes of this world, which nobody else would end. */
function killLeftovers(base) {
  if (process.platform !== "linux") return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (Number(pid) !== process.pid && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`PI_CODING_AGENT_DIR=${base}`)) {
        process.kill(Number(pid), "SIGKILL");
      }
    } catch { /* gone, or somebody else's */ }
  }
}

/** Removes a world. A process that still writes into it is no finding of a test. */
function removeWorld(base) {
  try {
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    console.error(`left behind: ${base} (${error.code})`);
  }
}

/** A session id nobody has. */
export const strangerId = () => randomUUID();
