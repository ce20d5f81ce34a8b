// A pseudo-terminal without a native module: `script`, which every Linux and
// macOS system has, runs the program in one. What it draws is kept twice: as
// the stream of text, and as the screen that a terminal makes of it.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import unicode from "@xterm/addon-unicode11";
import headless from "@xterm/headless";
import { until } from "./world.mjs";

const MAC = process.platform === "darwin";

/** Runs a shell command in a terminal of 100 by 40, or of what `size` says. */
export class Terminal {
  /** What was drawn so far, without control sequences. */
  drawn = "";
  #from = 0;
  #screen;
  #device;

  constructor(command, { folder, columns = 100, rows = 40, ...options }) {
    this.#device = join(folder, "terminal-device");
    const line = `tty >'${this.#device}'; stty cols ${columns} rows ${rows}; exec ${command}`;
    const args = MAC ? ["-q", "/dev/null", "sh", "-c", line] : ["-qfec", line, "/dev/null"];
    this.#screen = new headless.Terminal({ cols: columns, rows, scrollback: 2_000, allowProposedApi: true });
    this.#screen.loadAddon(new unicode.Unicode11Addon());
    this.#screen.unicode.activeVersion = "11";
    // What a terminal answers when it is asked what it can do.
    this.#screen.onData((answer) => this.send(answer));
    this.process = spawn("script", args, { ...options, stdio: ["pipe", "pipe", "inherit"] });
    this.process.on("close", (code, signal) => (this.ended = code ?? signal));
    this.process.stdin.on("error", () => {});
    this.process.stdout.setEncoding("utf8");
    let raw = "";
    this.process.stdout.on("data", (chunk) => {
      this.#screen.write(chunk);
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

  /** Waits until the screen as it stands fits `pattern`; gives its rows. */
  async sees(pattern) {
    await until(() => pattern.test(this.text()), `${pattern} on the screen`).catch((error) => {
      throw new Error(`${error.message}\n${this.text()}`);
    });
    // Whole frames only: what is being drawn is drawn.
    await this.quiet();
    return this.text();
  }

  /** Waits until nothing has been drawn for a while. */
  async quiet(millis = 300) {
    for (let before = -1; before !== this.drawn.length; ) {
      before = this.drawn.length;
      await new Promise((done) => setTimeout(done, millis));
    }
  }

  /** The rows on the screen, as cells: `{text, width, color, bold, dim}`. */
  cells() {
    const { active } = this.#screen.buffer;
    return Array.from({ length: this.#screen.rows }, (_, y) => {
      const line = active.getLine(active.viewportY + y);
      return Array.from({ length: this.#screen.cols }, (_, x) => {
        const cell = line?.getCell(x);
        return {
          text: cell?.getChars() || " ",
          width: cell?.getWidth() ?? 1,
          color: colorOf(cell),
          bold: cell?.isBold() > 0,
          dim: cell?.isDim() > 0,
          inverse: cell?.isInverse() > 0,
        };
      });
    });
  }

  /** The text on the screen, without blanks at the ends of rows. */
  text() {
    const row = (cells) => cells.filter((cell) => cell.width > 0).map((cell) => cell.text).join("").trimEnd();
    return this.cells().map(row).join("\n").trimEnd();
  }

  /** Makes the window another size, as a person does with the mouse. */
  resize(columns, rows) {
    this.#screen.resize(columns, rows);
    const device = readFileSync(this.#device, "utf8").trim();
    execFileSync("stty", [MAC ? "-f" : "-F", device, "cols", String(columns), "rows", String(rows)]);
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

function colorOf(cell) {
  if (!cell || cell.isFgDefault()) return undefined;
  const value = cell.getFgColor();
  return cell.isFgRGB() ? `#${value.toString(16).padStart(6, "0")}` : value;
}

function strip(text) {
  return text
    .replace(/\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, "")
    .replace(/\x1b[_P^][^\x1b]*\x1b\\/g, "")
    .replace(/\x1b\[[0-9;?<>=]*[A-Za-z~]/g, "")
    .replace(/\x1b[()][A-Z0-9]|\x1b[=>78]/g, "");
}

/** A person is never quicker than this, and a host may still be drawing. */
export const breath = (millis = 500) => new Promise((done) => setTimeout(done, millis));

/** Pi in a terminal, with a person who types. */
export class PiTerminal extends Terminal {
  /** Starts Pi in a world. */
  constructor(world, { args = [], cwd = world.project, env = {}, ...size } = {}) {
    const words = args.map((word) => `'${word}'`).join(" ");
    super(`${world.base}/bin/pi ${words}`, { folder: world.base, cwd, env: { ...world.env, TERM: "xterm-256color", COLORTERM: "truecolor", ...env }, ...size });
    this.world = world;
  }

  /** Types a line and sends it, once Pi takes it. */
  async enter(text) {
    await breath();
    this.send(text);
    await this.sees(new RegExp(text.slice(-12).replace(/[^\w ]/g, ".")));
    // While it starts, the host refuses Enter and keeps the text; how long that
    // takes depends on the machine.
    for (let tries = 0; tries < 40; tries++) {
      await breath();
      const before = this.drawn.length;
      this.send("\r");
      await breath(1_000);
      if (!/Startup is still in progress/.test(this.drawn.slice(before))) return;
    }
  }

  /** Ends Pi. */
  async close() {
    await this.hangUp(this.world.logged("forwarded_permission.serving_started").at(-1)?.pid);
  }
}
