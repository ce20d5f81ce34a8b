// Puts questions to the person, one at a time: those of parallel calls and of
// several children arrive at once, and a person reads one.
import { shared } from "./process.js";

/** Names of keys that the addon knows, as the host's matcher spells them. */
const KEYS = ["enter", "escape", "up", "down", "left", "right", "backspace"];
const STYLES = { title: "accent", flagged: "warning", highlight: "accent", warning: "warning", hint: "dim" };

/**
 * Shows a question; the answer goes to the addon. Ends when it is answered or
 * withdrawn. `tui` is the host's terminal library, where it has one.
 */
export function ask(native, ctx, question, signal, tui) {
  const state = shared();
  for (const menu of state.menus) menu.abort();
  const show = ctx.mode === "tui" && tui?.matchesKey ? inline : lists;
  const turn = state.dialogs.then(() => (signal.aborted ? undefined : show(native, ctx.ui, question, signal, tui)));
  state.dialogs = turn.catch(() => {});
  return turn;
}

/** Where the host can only offer lists. */
async function lists(native, ui, question, signal) {
  const { id, title } = question;
  const options = { signal };
  const label = await ui.select(`${title}\n${question.text}`, question.options, options);
  if (signal.aborted) return;
  const chosen = { label: label ?? null, reach: null, reason: null };
  const next = label === undefined ? null : native.followUp(id, label);
  if (next === "reach") chosen.reach = (await ui.select(title, question.reachOptions, options)) ?? null;
  if (next === "reason") chosen.reason = (await ui.input("Why not? The agent is told.", undefined, options)) ?? null;
  if (!signal.aborted) native.choose(id, JSON.stringify(chosen));
}

/** In the terminal: the addon draws the rows and reads the keys. */
async function inline(native, ui, { id }, signal, keys) {
  await ui.custom((screen, theme, keybindings, done) => {
    const close = () => done(undefined);
    if (signal.aborted) close();
    signal.addEventListener("abort", close, { once: true });
    // Half a sentence in the editor: its next letters are not for us.
    if (ui.getEditorText?.()) native.dialogInterrupts(id);
    return {
      render(width) {
        const rows = JSON.parse(native.dialogRows(id, width)) ?? [];
        return rows.map(({ text, style }) => (STYLES[style] ? theme.fg(STYLES[style], text) : text));
      },
      handleInput(data) {
        const key = keyName(data, keys, keybindings);
        if (key === undefined) return;
        if (native.dialogKey(id, key)) close();
        else screen.requestRender();
      },
      invalidate() {},
    };
  });
}

/** The addon's name of a key; `undefined` for what is no press of a key. */
function keyName(data, keys, keybindings) {
  // A key held down is not pressed twice.
  if (keys.isKeyRelease?.(data) || keys.isKeyRepeat?.(data)) return undefined;
  const paste = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~)?$/.exec(data);
  if (paste) return `paste:${paste[1]}`;
  if (keybindings?.matches?.(data, "app.tools.expand")) return "expand";
  const named = KEYS.find((name) => keys.matchesKey(data, name));
  if (named) return named;
  const text = keys.decodeKittyPrintable?.(data) ?? data;
  if ([...text].length === 1) return text >= " " ? text : "other";
  return text.startsWith("\x1b") ? "other" : `paste:${text}`;
}
