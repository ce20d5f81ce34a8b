// What all copies of this extension in one process share. Pi loads a copy for
// each session (and again at each reload), so module variables are no store.
const KEY = Symbol.for("countersign:process");

/** The shared state. */
export function shared() {
  const store = globalThis;
  store[KEY] ??= {
    // Instance by session id: sessions with a copy of their own.
    instances: new Map(),
    // Sessions without a copy of their own, by the host's session object.
    guests: new WeakMap(),
    // Those of them that are open.
    openGuests: new Set(),
    // Inputs that were allowed and not yet run, with the text that was judged.
    allowed: new WeakMap(),
    // The dialog shown last; the next one waits for it.
    dialogs: Promise.resolve(),
    // The name of each skill that a session has loaded, by its file.
    skills: new Map(),
    // Commands that are open; a question closes them.
    menus: new Set(),
    // Set by guard.js: judges a call that no copy of this extension judged.
    judge: undefined,
    // Takes the wrapping of the session class back, where it is wrapped.
    removeGuard: undefined,
    // Whether the person was told that some children cannot be seen here.
    warnedUnguarded: false,
    // Variables that sessions of this process put into the environment: the
    // value, and the one it stands in for.
    exported: new Map(),
  };
  return store[KEY];
}

/** Marks an input as allowed: exactly as it reads now, and for one run. */
export function allow(input, text) {
  if (input !== null && typeof input === "object") shared().allowed.set(input, text);
}

/** Whether this input was allowed exactly as it reads now. Asking uses it up. */
export function takeAllowed(input) {
  if (input === null || typeof input !== "object") return false;
  const { allowed } = shared();
  const text = allowed.get(input);
  allowed.delete(input);
  return text !== undefined && text === JSON.stringify(input);
}
