// A headless Chromium, the one of the system.
import { spawnSync } from "node:child_process";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The program: `COUNTERSIGN_CHROMIUM`, else the first that is on the path. */
function program() {
  const named = process.env.COUNTERSIGN_CHROMIUM || undefined;
  const found = named ?? NAMES.map((name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout?.trim()).find(Boolean);
  if (!found) throw new Error("there is no Chromium: run `apt-get update && apt-get install -y chromium` as root, or name one in COUNTERSIGN_CHROMIUM");
  return found;
}

/** Starts one. Every host name but those of this machine leads to it too. */
export function launch() {
  const args = ["--host-resolver-rules=MAP * 127.0.0.1"];
  // Its sandbox needs another user than root.
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: program(), args });
}
