// The person's commands: the addon says what each page shows and what follows
// from a choice.
import { shared } from "./process.js";

const COMMANDS = {
  permissions: {
    description: "Show the policy, approvals (and take them back), recent decisions and who is served",
    words: ["rules", "approvals", "decisions", "served"],
  },
  "permission-system": {
    description: "Change the settings of the permission system",
    words: ["show", "path", "reset", "help"],
  },
};

/** Offers the commands; `session(ctx)` gives the addon's session. */
export function registerCommands(pi, session) {
  for (const [name, { description, words }] of Object.entries(COMMANDS)) {
    pi.registerCommand(name, {
      description,
      getArgumentCompletions: (prefix) => completions(words, prefix),
      handler: async (typed, ctx) => {
        try {
          const native = session(ctx);
          await pages(native, ctx.ui, JSON.parse(native.command(name, typed ?? "")));
        } catch (error) {
          ctx.ui.notify(`/${name} failed: ${error instanceof Error ? error.message : String(error)}`, "error");
        }
      },
    });
  }
}

function completions(words, prefix) {
  const start = prefix.trim().toLowerCase();
  // A word that is whole needs no completion, and Enter shall send it.
  const found = words.filter((word) => word.startsWith(start) && word !== start);
  return found.length > 0 ? found.map((word) => ({ value: word, label: word })) : null;
}

/** Shows pages until one leads nowhere. A question that arrives goes first. */
async function pages(native, ui, first) {
  const state = shared();
  const closed = new AbortController();
  state.menus.add(closed);
  try {
    for (let page = first; page; ) {
      if (page.notice) ui.notify(page.notice.text, page.notice.level);
      const { step, typed } = await choose(ui, page, closed.signal);
      if (closed.signal.aborted || typeof step !== "string") return;
      page = JSON.parse(native.menu(step, typed));
    }
  } finally {
    state.menus.delete(closed);
  }
}

async function choose(ui, page, signal) {
  if (page.input) {
    const typed = await ui.input(page.title, undefined, { signal });
    return typed === undefined ? { step: page.back } : { step: page.input, typed };
  }
  if (page.options.length === 0) return {};
  const labels = page.options.map((option) => option.label);
  const label = await ui.select(page.title, labels, { signal });
  return { step: label === undefined ? page.back : page.options.find((option) => option.label === label)?.step };
}
