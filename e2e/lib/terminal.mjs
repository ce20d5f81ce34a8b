// A pseudo-terminal without a native module: `script`, which every Linux and
// macOS system has, runs the program in one.
import { spawn } from "node:child_process";
import { until } from "./world.mjs";

/** Runs a shell command in a terminal of 100 by 40. */
export class Terminal {
  /** What was drawn so far, without control sequences. */
  drawn = "";
  #from = 0;

  constructor(command, options) {
    const line = `stty cols 100 rows 40; exec ${command}`;
    const args = process.platform === "darwin" ? ["-q", "/dev/null", "sh", "-c", line] : ["-qfec", line, "/dev/null"];
    this.process = spawn("script", args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
    this.process.on("close", (code, signal) => (this.ended = code ?? signal));
    this.process.stdout.setEncoding("utf8");
    let raw = "";
    this.process.stdout.on("data", (chunk) => {
      raw += chunk;
      // A sequence may arrive in two pieces: what is not whole stays.
      const cut = raw.lastIndexOf("\x1b");
      const whole = cut >= 0 && raw.length - cut < 64 ? raw.slice(0, cut) : raw;
      raw = raw.slice(whole.length);
      this.drawn += strip(whole);
    });
  }

  /** Presses keys or types text. */
  send(text) {
    this.process.stdin.write(text);
  }

  /** Waits until `pattern` is drawn after what was waited for before. */
  async shows(pattern) {
    const found = await until(() => pattern.exec(this.drawn.slice(this.#from)), `${pattern} in the terminal`).catch((error) => {
      throw new Error(`${error.message}${this.ended === undefined ? "" : ` (the program ended: ${this.ended})`}\n${this.drawn.slice(-3_000)}`);
    });
    this.#from += found.index + found[0].length;
  }

  /** Hangs up, and waits until the program of `pid` is gone. */
  async hangUp(pid) {
    this.process.kill("SIGKILL");
    const gone = () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    if (pid) await until(gone, "the program's end").catch(() => process.kill(pid, "SIGKILL"));
  }
}

function strip(text) {
  return text
    .replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, "")
    .replace(/\x1b[_P^][^\x1b]*\x1b\\/g, "")
    .replace(/\x1b\[[0-9;?<>=]*[A-Za-z~]/g, "")
    .replace(/\x1b[()][A-Z0-9]|\x1b[=>78]/g, "");
}
