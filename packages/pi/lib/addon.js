// Loads the compiled part.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The interface between this folder and the addon; both sides must agree. */
const INTERFACE = 1;

/** The addon, or an error that says what is wrong with it. */
export function loadAddon() {
  const file = fileURLToPath(new URL("../addon/countersign.node", import.meta.url));
  let addon;
  try {
    addon = createRequire(import.meta.url)(file);
  } catch (error) {
    throw new Error(`the addon ${file} cannot be loaded (${firstLine(error)}).`);
  }
  const found = typeof addon.interfaceVersion === "function" ? addon.interfaceVersion() : undefined;
  if (found !== INTERFACE) {
    throw new Error(`the addon ${file} belongs to another version of this package (${found}, expected ${INTERFACE}).`);
  }
  return addon;
}

function firstLine(error) {
  return String(error instanceof Error ? error.message : error).split("\n")[0];
}
