// The client of `pi --mode rpc`: commands, events, and a person who answers.

/** Dialogs that wait for an answer. */
const ASKING = new Set(["select", "confirm", "input", "editor"]);

/** A running `pi --mode rpc`. */
export class Rpc {
  /** Everything the session reported, oldest first. */
  events = [];
  /** Dialogs shown so far, answered or not. */
  dialogs = [];
  /** Notifications shown so far. */
  notices = [];
  /** The status lines, by key. */
  status = {};
  stderr = "";
  /** The event after which the session waits for the next prompt. */
  settles = "agent_settled";
  #waiting = new Map();
  #open = [];
  #takers = [];
  #next = 0;
  #answer;

  /** `answer(dialog)` answers each dialog; without it they wait for [`dialog`]. */
  constructor(child, answer) {
    this.process = child;
    this.#answer = answer;
    let buffer = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk) => {
      buffer += chunk;
      const lines = buffer.split("\n");
      buffer = lines.pop();
      for (const line of lines) if (line.trim()) this.#take(JSON.parse(line));
    });
    child.stderr.on("data", (chunk) => (this.stderr += chunk));
    this.exited = new Promise((done) =>
      child.on("close", (code, signal) => {
        this.code = code ?? signal;
        for (const { reject } of this.#waiting.values()) reject(new Error(`pi ended (${this.code}): ${this.stderr}`));
        done(this.code);
      }),
    );
    child.stdin.on("error", () => {});
  }

  #take(record) {
    if (record.type === "response") {
      const waiting = this.#waiting.get(record.id);
      this.#waiting.delete(record.id);
      if (!waiting) return;
      if (record.success) waiting.resolve(record.data ?? {});
      else waiting.reject(new Error(record.error));
      return;
    }
    if (record.type === "extension_ui_request") {
      if (record.method === "notify") this.notices.push(record);
      if (record.method === "setStatus") this.status[record.statusKey] = record.statusText;
      if (!ASKING.has(record.method)) return;
      record.at = Date.now();
      this.dialogs.push(record);
      if (this.#answer) {
        Promise.resolve(this.#answer(record)).then((value) => this.reply(record, value));
        return;
      }
      const taker = this.#takers.shift();
      if (taker) taker(record);
      else this.#open.push(record);
      return;
    }
    this.events.push(record);
  }

  /** Sends a command; resolves with its data. */
  command(command) {
    const id = `t${++this.#next}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.process.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    });
  }

  /** The next dialog nobody has taken yet. */
  dialog(limit = 30_000) {
    const open = this.#open.shift();
    if (open) return Promise.resolve(open);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#takers = this.#takers.filter((each) => each !== taker);
        reject(new Error(`no dialog within ${limit} ms\n${this.stderr}`));
      }, limit);
      const taker = (record) => {
        clearTimeout(timer);
        resolve(record);
      };
      this.#takers.push(taker);
    });
  }

  /** Answers a dialog: a text, `true`/`false`, or nothing to dismiss it. */
  reply(dialog, value) {
    const answer =
      value === undefined ? { cancelled: true } : typeof value === "boolean" ? { confirmed: value } : { value };
    this.process.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: dialog.id, ...answer })}\n`);
  }

  /** Waits for the next dialog and picks the first option that `pattern` fits. */
  async pick(pattern, limit) {
    const dialog = await this.dialog(limit);
    this.reply(dialog, option(dialog, pattern));
    return dialog;
  }

  /** Prompts the session and waits until it settles. */
  async prompt(message, limit = 120_000) {
    const from = this.events.length;
    await this.command({ type: "prompt", message });
    const end = Date.now() + limit;
    while (!this.events.slice(from).some((event) => event.type === this.settles)) {
      if (Date.now() > end || this.code !== undefined) throw new Error(`the session did not settle: ${this.stderr}`);
      await new Promise((done) => setTimeout(done, 15));
    }
  }

  /** Ends the session in an orderly way. */
  async end() {
    this.process.stdin.end();
    return this.exited;
  }
}

/** The option of a `select` that `pattern` fits. */
export function option(dialog, pattern) {
  const found = dialog.options?.find((each) => pattern.test(each));
  if (found === undefined) throw new Error(`no option fits ${pattern} in ${JSON.stringify(dialog)}`);
  return found;
}
