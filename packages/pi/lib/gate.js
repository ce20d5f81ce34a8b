// One tool call from the addon's first word to the last.
import { allow } from "./process.js";

/** The reason for a call that could not be judged. */
export function failed(error) {
  const why = error instanceof Error ? error.message : String(error);
  return `[pi-permission-system] Permission gate failed and blocked the tool call (fail-closed): ${why}`;
}

/**
 * Judges one tool call. Gives `undefined` where it may run, else the reason
 * why not. Never throws: a call that cannot be judged is blocked.
 *
 * `native` is the addon's session. Where a person must be asked, the addon
 * says so through the session's front, and the wait ends here.
 */
export async function judge(native, call, signal) {
  try {
    const text = JSON.stringify(call.input);
    const reason = await conclude(native, native.gate(JSON.stringify(call)), signal);
    if (reason !== undefined) return reason;
    // What was judged is what may run.
    if (JSON.stringify(call.input) !== text) return failed("the call changed while it was judged");
    allow(call.input, text);
    return undefined;
  } catch (error) {
    return failed(error);
  }
}

/** Waits for the end of what the gate said, where it is none yet. */
export async function conclude(native, gate, signal) {
  let outcome = JSON.parse(gate);
  if (outcome.kind === "waiting") outcome = await settled(native, outcome.requestId, signal);
  if (outcome.kind === "allow") return undefined;
  return typeof outcome.message === "string" ? outcome.message : failed("the addon gave no reason");
}

async function settled(native, id, signal) {
  const cancel = () => native.cancel(id);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    return JSON.parse(await native.settled(id));
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
