// Sees the tool calls of every session in this process, also of those that
// were made without any extension.
//
// Hosts differ in where they ask extensions about a tool call:
// - 1.x: the method `_beforeToolCall` of the session class;
// - 0.87: a function that `_installAgentToolHooks` puts on the session's agent.
import { sessionOptions } from "./environment.js";
import { failed, judge } from "./gate.js";
import { shared, takeAllowed } from "./process.js";
import { describe } from "./service.js";
import { skillsOf } from "./skills.js";

const WRAPPED = Symbol.for("countersign:wrapped");

/** Wraps the session class; once a process, whatever the number of copies. */
export function installGuard(host, addon) {
  const state = shared();
  // The newest copy judges: after a reload the older one is stale.
  state.judge = (session, call, parentToolCallId) => judgeUnseen(host, addon, session, call, parentToolCallId);
  state.removeGuard ??= wrap(host.AgentSession?.prototype, state);
}

/** Whether sessions without a copy of this extension are seen. */
export function guarded() {
  return shared().removeGuard !== undefined;
}

/** Takes the wrapping back when no session with a copy is left. */
export function removeGuard() {
  const state = shared();
  if (state.instances.size > 0) return;
  for (const each of [...state.openGuests]) each.close();
  state.removeGuard?.();
  state.removeGuard = undefined;
  state.judge = undefined;
}

/** What the host's own answer becomes after the unseen calls are judged. */
async function after(state, session, answer, call, parentToolCallId) {
  if (answer?.block) return answer;
  const reason = state.judge ? await state.judge(session, call, parentToolCallId) : undefined;
  return reason === undefined ? answer : { ...answer, block: true, reason };
}

function wrap(prototype, state) {
  if (!prototype) return undefined;
  const undo = [];
  const replace = (name, make) => {
    const original = prototype[name];
    if (typeof original !== "function") return false;
    const replacement = make(original);
    replacement[WRAPPED] = true;
    prototype[name] = replacement;
    undo.push(() => {
      if (prototype[name] === replacement) prototype[name] = original;
    });
    return true;
  };

  const seen =
    replace(
      "_beforeToolCall",
      (original) =>
        async function (call, parentToolCallId, ...rest) {
          const answer = await original.call(this, call, parentToolCallId, ...rest);
          return after(state, this, answer, call, parentToolCallId);
        },
    ) ||
    replace(
      "_installAgentToolHooks",
      (original) =>
        function (...args) {
          original.apply(this, args);
          const hook = this.agent.beforeToolCall;
          this.agent.beforeToolCall = async (call, ...rest) => {
            const answer = await hook?.(call, ...rest);
            return after(state, this, answer, call);
          };
        },
    );
  if (!seen) return undefined;

  replace(
    "dispose",
    (original) =>
      function (...args) {
        state.guests.get(this)?.close();
        try {
          return original.apply(this, args);
        } finally {
          // Not every maker tells the child's extensions that it ends.
          state.instances.get(sessionId(this))?.close();
        }
      },
  );
  return () => undo.splice(0).forEach((each) => each());
}

/**
 * Judges a call that passed the host's own handlers. A call that a copy of
 * this extension allowed, exactly as it reads now, passes; any other is one
 * nobody has judged, or one that was changed after it was allowed.
 */
async function judgeUnseen(host, addon, session, { toolCall, args }, parentToolCallId) {
  try {
    if (takeAllowed(args)) return undefined;
    const call = { name: toolCall.name, toolCallId: toolCall.id, parentToolCallId: parentToolCallId ?? null, input: args };
    const id = sessionId(session);
    const instance = shared().instances.get(id);
    const signal = session.agent?.signal;
    const reason = instance ? await instance.judge(call, signal) : await guest(host, addon, session, id).judge({ ...call, ...describe(addon, id, call) }, signal);
    takeAllowed(args);
    return reason;
  } catch (error) {
    return failed(error);
  }
}

function sessionId(session) {
  return session.sessionManager.getSessionId();
}

function guest(host, addon, session, id) {
  const { guests } = shared();
  const known = guests.get(session);
  if (known?.id === id) return known;
  known?.close();
  const fresh = new Guest(host, addon, session, id);
  guests.set(session, fresh);
  return fresh;
}

/** A child session without a copy of its own: judged here, asked at its parent. */
class Guest {
  #native;
  #session;
  /** The skills that the addon knows. */
  #skills = "[]";

  constructor(host, addon, session, id) {
    this.id = id;
    this.#session = session;
    const options = { ...sessionOptions(host), ...this.#facts(), sessionId: id, hasUi: false, guest: true };
    this.#native = addon.openSession(JSON.stringify(options), () => {});
    shared().openGuests.add(this);
  }

  #facts() {
    const session = this.#session;
    return {
      cwd: session.sessionManager.getCwd?.() ?? process.cwd(),
      // A session made by code says of itself what it likes; only what a
      // session with a copy was told by the person counts.
      trusted: session.settingsManager?.isProjectTrusted?.() === true && [...shared().instances.values()].some((each) => each.trusted()),
    };
  }

  judge(call, signal) {
    const skills = skillsOf(this.#session);
    if (skills !== this.#skills) this.#native.hiddenSkills(skills);
    this.#skills = skills;
    this.#native.setContext(
      JSON.stringify({ ...this.#facts(), hasUi: false, systemPrompt: this.#session.systemPrompt ?? null, activeAgent: null, tools: null }),
    );
    return judge(this.#native, call, signal);
  }

  close() {
    shared().guests.delete(this.#session);
    shared().openGuests.delete(this);
    this.#native.shutdown();
  }
}
