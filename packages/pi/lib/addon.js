// Loads the compiled part: the one in this folder, where the package was built
// for this machine, else that of the optional package for its platform.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The interface between this folder and the addon; both sides must agree. */
const INTERFACE = 1;

/** The addon, or an error that says what is wrong with it. */
export function loadAddon() {
  const require = createRequire(import.meta.url);
  const bundled = fileURLToPath(new URL("../addon/countersign.node", import.meta.url));
  const file = existsSync(bundled) ? bundled : installed(require);
  if (!file) throw new Error(`there is no addon: neither ${[bundled, ...platformPackages()].join(" nor ")}.`);
  let addon;
  try {
    addon = require(file);
  } catch (error) {
    throw new Error(`the addon ${file} cannot be loaded (${firstLine(error)}).`);
  }
  const found = typeof addon.interfaceVersion === "function" ? addon.interfaceVersion() : undefined;
  if (found !== INTERFACE) {
    throw new Error(`the addon ${file} belongs to another version of this package (${found}, expected ${INTERFACE}).`);
  }
  return addon;
}

/** The packages that may hold the addon; npm installs those that fit the machine. */
function platformPackages() {
  const name = `@countersign/pi-${process.platform}-${process.arch}`;
  if (process.platform === "linux") return [`${name}-gnu`, `${name}-musl`];
  return [process.platform === "win32" ? `${name}-msvc` : name];
}

/** The addon of the first of them that is there. */
function installed(require) {
  for (const name of platformPackages()) {
    try {
      return require.resolve(name);
    } catch {
      // Not installed here: another may be.
    }
  }
  return undefined;
}

function firstLine(error) {
  return String(error instanceof Error ? error.message : error).split("\n")[0];
}
