// One session with a copy of this extension.
import { registerCommands } from "./commands.js";
import { ask } from "./dialog.js";
import { refreshExports, sessionOptions } from "./environment.js";
import { conclude, failed, judge } from "./gate.js";
import { guarded, installGuard, removeGuard } from "./guard.js";
import { shared } from "./process.js";
import { narrowSkills } from "./skills.js";
import { announcedChildren, anotherSystem, describe, publish, Service, withdraw } from "./service.js";

const STATUS = "pi-permission-system";

/** Two systems would each be half in charge; the person must choose one. */
const TWO_SYSTEMS =
  "[pi-permission-system] Every tool call is blocked, because another permission system is installed beside this one. " +
  "Remove one of them (`pi list` shows both, `pi remove <source>` removes one) and restart Pi.";

/** The host has no place where the calls of every session can be seen. */
const UNGUARDED =
  "[pi-permission-system] On this version of Pi, subagents that run inside Pi's process without extensions are not guarded. " +
  "Let them load extensions, or use ones that run as processes of their own.";

/** Connects Pi's events to the addon's session. */
export class Instance {
  #pi;
  #host;
  #addon;
  #native;
  #ctx;
  #service;
  #unsubscribe = [];
  /** Questions that are on the screen or wait for it. */
  #questions = new Map();
  #announcedReady = false;
  /** The tools that the addon knows to be registered, with what they say of themselves. */
  #tools = new Map();
  /** Tools that were active once, in their order, and those hidden of them. */
  #seen = [];
  #hidden = new Set();
  /** Why the last run could not be prepared. */
  #unprepared;
  /** What the addon was told last of where the session runs. */
  #told = "";
  /** Whether another permission system was there first. */
  #beside = false;

  constructor(pi, host, addon) {
    this.#pi = pi;
    this.#host = host;
    this.#addon = addon;
  }

  install() {
    const pi = this.#pi;
    // Before any session starts, so that the session classes that exist now
    // and every session made later are seen.
    installGuard(this.#host, this.#addon);

    // The announcements are synchronous by contract: the child is known when
    // its own copy loads.
    const on = (channel, use) => {
      const off = pi.events.on(channel, (data) => {
        if (typeof data?.sessionId === "string") use(data.sessionId, data.parentSessionId);
      });
      if (typeof off === "function") this.#unsubscribe.push(off);
    };
    on("subagents:child:session-created", (id, named) => {
      const parent = named ?? this.#native?.id();
      this.#addon.childCreated(id, parent);
      announcedChildren().register(id, { parentSessionId: parent });
    });
    on("subagents:child:bound", (id, parent) => this.#childBound(id, parent));
    on("subagents:child:disposed", (id) => {
      this.#addon.childDisposed(id);
      announcedChildren().unregister(id);
    });

    registerCommands(pi, (ctx) => this.#open(ctx));
    pi.on("session_start", (_event, ctx) => this.#start(ctx));
    pi.on("before_agent_start", (event, ctx) => this.#prepare(event, ctx));
    pi.on("input", (event, ctx) => this.#input(event, ctx));
    pi.on("tool_call", (event, ctx) => this.#toolCall(event, ctx));
    pi.on("session_shutdown", (event) => this.#stop(event));
  }

  /** Records a child that was bound without a copy of this extension. */
  #childBound(id, parent) {
    if (shared().instances.has(id)) return;
    this.#quietly(() => {
      const entry = { childSessionId: id, parentSessionId: parent ?? this.#native?.id() ?? null, guarded: guarded() };
      this.#native?.note("child_node_absent", JSON.stringify(entry), false);
    });
    if (!guarded()) this.#warnUnguarded();
  }

  /** Tells the person, once, that some children cannot be seen on this host. */
  #warnUnguarded() {
    if (shared().warnedUnguarded) return;
    shared().warnedUnguarded = true;
    this.#quietly(() => this.#ctx?.ui.notify(UNGUARDED, "warning"));
  }

  /** The addon's session, opened where no `session_start` came first. */
  #open(ctx) {
    this.#ctx = ctx;
    const id = ctx.sessionManager.getSessionId();
    if (this.#native && this.#native.id() === id) return this.#native;
    this.close();
    const options = {
      ...sessionOptions(this.#host),
      sessionId: id,
      sessionDir: ctx.sessionManager.getSessionDir?.() ?? null,
      cwd: ctx.cwd,
      hasUi: ctx.hasUI === true,
      trusted: trusted(ctx),
    };
    this.#native = this.#addon.openSession(JSON.stringify(options), (kind, payload) =>
      this.#front(kind, JSON.parse(payload)),
    );
    shared().instances.set(id, this);
    this.#service = new Service(this.#native);
    refreshExports();
    return this.#native;
  }

  #start(ctx) {
    const native = this.#open(ctx);
    // Looked at before ours stands in its place.
    this.#beside = anotherSystem(native.id());
    if (this.#beside) this.#quietly(() => ctx.ui.notify(TWO_SYSTEMS, "error"));
    else publish(native.id(), this.#service, native.isChild());
    if (!guarded()) this.#warnUnguarded();
    this.#announcedReady = false;
    this.#ready();
    // Before the first prompt is made, so that it needs no second one.
    this.#quietly(() => {
      this.#renew(ctx);
      this.#narrowTools();
    });
    this.#status();
  }

  #ready() {
    const native = this.#native;
    this.#emit("permissions:ready", { sessionId: native.id(), adjudicatesLocally: native.adjudicatesLocally() });
  }

  #prepare(event, ctx) {
    try {
      const native = this.#open(ctx);
      if (!this.#announcedReady) {
        this.#announcedReady = true;
        this.#ready();
      }
      this.#renew(ctx, event.systemPrompt);
      this.#narrowTools();
      const systemPrompt = narrowSkills(native, event);
      this.#unprepared = undefined;
      this.#status();
      return systemPrompt === undefined ? undefined : { systemPrompt };
    } catch (error) {
      // The host would go on with skills that nobody gates.
      this.#unprepared = error;
      return undefined;
    }
  }

  /**
   * Takes the tools away of which nothing can be allowed, and gives those back
   * that this took away once the policy lets them. The host narrows its prompt
   * to the tools that are left, the same on every turn.
   */
  #narrowTools() {
    const active = this.#pi.getActiveTools();
    for (const tool of active) if (!this.#seen.includes(tool)) this.#seen.push(tool);
    const back = [...this.#hidden].filter((tool) => this.#tools.has(tool) && !active.includes(tool));
    const all = back.length > 0 ? this.#seen.filter((tool) => active.includes(tool) || back.includes(tool)) : active;
    this.#hidden = new Set(this.#native.hiddenTools(JSON.stringify(all)));
    const wanted = all.filter((tool) => !this.#hidden.has(tool));
    if (wanted.length !== active.length || wanted.some((tool, at) => tool !== active[at])) this.#pi.setActiveTools(wanted);
  }

  /** Tells the addon what a new run may have changed. */
  #renew(ctx, systemPrompt) {
    this.#tools = new Map(this.#pi.getAllTools().map((tool) => [tool.name, tool.annotations]));
    this.#told = this.#place(ctx);
    const about = { systemPrompt: systemPrompt ?? null, activeAgent: activeAgent(ctx), tools: [...this.#tools.keys()] };
    this.#native.setContext(JSON.stringify({ ...JSON.parse(this.#told), ...about }));
  }

  /** Tells the addon what may have changed between two calls. */
  #refresh(ctx, tool) {
    if (!this.#tools.has(tool)) return this.#renew(ctx);
    const place = this.#place(ctx);
    if (place === this.#told) return;
    this.#told = place;
    this.#native.setContext(place);
  }

  #place(ctx) {
    return JSON.stringify({ cwd: ctx.cwd, hasUi: ctx.hasUI === true, trusted: trusted(ctx), unguarded: !guarded() });
  }

  async #toolCall(event, ctx) {
    try {
      const call = {
        name: event.toolName,
        toolCallId: event.toolCallId,
        parentToolCallId: event.parentToolCallId ?? null,
        input: event.input,
      };
      const reason = await this.judge(call, ctx.signal, ctx);
      return reason === undefined ? undefined : { block: true, reason };
    } catch (error) {
      return { block: true, reason: failed(error) };
    }
  }

  /** Whether a person sits at this session. */
  hasUi() {
    return this.#ctx?.hasUI === true;
  }

  /** Whether the person trusts this session's project. */
  trusted() {
    return this.#ctx !== undefined && trusted(this.#ctx);
  }

  /** The variables this session wants child processes to inherit. */
  exports() {
    return JSON.parse(this.#native.exports());
  }

  /** Judges one call of this session; the reason why it is blocked, if it is. */
  async judge(call, signal, ctx = this.#ctx) {
    const native = this.#open(ctx);
    if (this.#beside || anotherSystem(native.id())) return TWO_SYSTEMS;
    if (this.#unprepared !== undefined) return failed(this.#unprepared);
    this.#refresh(ctx, call.name);
    const annotations = this.#tools.get(call.name) ?? {};
    return judge(native, { ...call, annotations, ...describe(this.#addon, native.id(), call) }, signal);
  }

  /** What other extensions registered with this session. */
  service() {
    return this.#service;
  }

  /** A skill that the person starts by name; everything else passes. */
  async #input(event, ctx) {
    try {
      const native = this.#open(ctx);
      const gate = native.gateInput(event.text ?? "");
      const reason = await conclude(native, gate, ctx.signal);
      if (reason === undefined) return undefined;
      ctx.ui.notify(reason, "warning");
    } catch (error) {
      ctx.ui.notify(failed(error), "error");
    }
    return { action: "handled" };
  }

  /** What the addon reports on its own account. */
  #front(kind, payload) {
    switch (kind) {
      case "question":
        void this.#ask(payload);
        break;
      case "gone":
        this.#questions.get(payload.id)?.abort();
        break;
      case "consult":
        void this.#consult(payload);
        break;
      case "event":
        this.#emit(payload.channel, payload.data);
        break;
      case "changed":
        this.#status();
        break;
      case "notice":
        this.#quietly(() => this.#ctx?.ui.notify(payload.text, payload.level));
        break;
      default:
        break;
    }
  }

  async #consult({ id, link, details }) {
    const native = this.#native;
    const verdict = (await this.#service?.consult(link, details)) ?? { kind: "defer" };
    const reason = typeof verdict.reason === "string" ? verdict.reason : undefined;
    this.#quietly(() => native?.linkVerdict(id, link, String(verdict.kind), reason));
  }

  /** Puts a question to the person here, whoever asks it. */
  async #ask(question) {
    const { id } = question;
    const native = this.#native;
    if (!native || this.#questions.has(id)) return;
    const withdrawn = new AbortController();
    this.#questions.set(id, withdrawn);
    try {
      await ask(native, this.#ctx, question, withdrawn.signal, this.#host.tui);
    } catch (error) {
      this.#quietly(() => native.unanswerable(id, error instanceof Error ? error.message : String(error)));
    } finally {
      this.#questions.delete(id);
    }
  }

  #status() {
    this.#quietly(() => {
      if (this.#ctx?.hasUI) this.#ctx.ui.setStatus(STATUS, this.#native?.status() ?? undefined);
    });
  }

  /** Listeners and screens that throw change no decision. */
  #emit(channel, data) {
    this.#quietly(() => this.#pi.events.emit(channel, data));
  }

  #quietly(run) {
    try {
      run();
    } catch {
      // Told to nobody: the screen or the listener is the one that failed.
    }
  }

  /** Ends the addon's session. Safe to call again. */
  close() {
    const native = this.#native;
    if (!native) return;
    const id = native.id();
    for (const withdrawn of this.#questions.values()) withdrawn.abort();
    if (shared().instances.get(id) === this) shared().instances.delete(id);
    if (this.#service) withdraw(id, this.#service);
    this.#native = undefined;
    this.#tools = new Map();
    this.#seen = [];
    this.#hidden = new Set();
    this.#unprepared = undefined;
    this.#told = "";
    this.#service = undefined;
    native.shutdown();
    refreshExports();
  }

  #stop(event) {
    for (const off of this.#unsubscribe.splice(0)) this.#quietly(off);
    this.#quietly(() => {
      if (this.#ctx?.hasUI) this.#ctx.ui.setStatus(STATUS, undefined);
    });
    this.close();
    // After `/new`, `/resume`, `/fork` and `/reload` another copy takes over,
    // and children of this process may be running meanwhile.
    if (event?.reason === undefined || event.reason === "quit") removeGuard();
  }
}

function trusted(ctx) {
  return typeof ctx.isProjectTrusted === "function" ? ctx.isProjectTrusted() === true : false;
}

/** The newest `active_agent` entry as it stands: `{name}`, or null. */
function activeAgent(ctx) {
  const entries = ctx.sessionManager.getEntries?.() ?? [];
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry.type === "custom" && entry.customType === "active_agent") return entry.data ?? null;
  }
  return null;
}
