// Skills: which files are a skill's, and which the model is told of.
import { shared } from "./process.js";

/**
 * Keeps denied skills from the model. Hosts that build the prompt from parts
 * (0.86 and later) leave them out of their part; older ones are given a
 * narrowed prompt.
 */
export function narrowSkills(native, event) {
  const options = event.systemPromptOptions;
  const loaded = options?.skills ?? [];
  const hidden = new Set(native.hiddenSkills(known(loaded)));
  const without = (text) => (typeof text === "string" ? (native.withoutHiddenSkills(text) ?? undefined) : undefined);
  if (options?.sections === undefined) return without(event.systemPrompt);
  for (let at = loaded.length - 1; at >= 0; at--) if (hidden.has(loaded[at].name)) loaded.splice(at, 1);
  // A child's prompt may be its parent's, skills and all.
  for (const key of ["customPrompt", "appendSystemPrompt", "forceSystemPrompt"]) {
    const narrowed = without(options[key]);
    if (narrowed !== undefined) options[key] = narrowed;
  }
  return undefined;
}

/**
 * The skills of a session without a copy of this extension: their files are
 * gated, though nothing can be kept out of its prompt.
 */
export function skillsOf(session) {
  return known(session.resourceLoader?.getSkills?.().skills ?? []);
}

/**
 * All skills that sessions of this process have loaded, in the addon's form: a
 * child does not read what its parent may not by having loaded less.
 */
function known(loaded) {
  const { skills } = shared();
  for (const { name, filePath } of loaded) skills.set(filePath, name);
  return JSON.stringify([...skills].map(([filePath, name]) => ({ name, filePath })));
}
