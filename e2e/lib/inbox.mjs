// A running `countersign inbox`, and headless runs without an agent that ask it.
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "./world.mjs";

const PROGRAM =
  process.env.COUNTERSIGN_PROGRAM ?? resolve(fileURLToPath(import.meta.url), "../../../target/debug/countersign");

/** The session id of an inbox. */
export const ID = "countersign-inbox";

/** Starts an inbox in `world`; what it prints is in `output()`. */
export async function inbox(world, ...args) {
  const child = spawn(PROGRAM, ["inbox", ...args], { cwd: world.project, env: world.env, stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  child.stderr.on("data", (chunk) => (printed += chunk));
  const ended = new Promise((done) => child.on("close", (code, signal) => done(code ?? signal)));
  await until(() => printed.includes("serving"), "the inbox");
  return { process: child, ended, output: () => printed, type: (line) => child.stdin.write(`${line}\n`) };
}

/** Starts an inbox for browsers; `link()` is the newest one-time link. */
export async function webInbox(world, ...args) {
  const box = await inbox(world, "--web", ...(args.includes("--port") ? args : ["--port", "0", ...args]));
  const links = () => box.output().match(/http:\/\/127\.0\.0\.1:\d+\/#\S+/g) ?? [];
  await until(() => links().length, "the link");
  return { ...box, link: () => links().at(-1), links, port: new URL(links()[0]).port };
}

/**
 * A headless session that makes these shell calls, one after the other,
 * without running them. Its results are in `results()`.
 */
export function asker(world, name, ...commands) {
  const child = spawn(PROGRAM, ["demo-child", "--name", name, "--agent-dir", world.agentDir, "--cwd", world.project], {
    env: { ...world.env, PI_SUBAGENT_PARENT_SESSION: ID },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  child.stdin.end(commands.map((command) => `${command}\n`).join(""));
  const results = () => printed.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return { process: child, results, all: () => until(() => results().length === commands.length && results(), `the calls of ${name}`) };
}
