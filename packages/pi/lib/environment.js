// What child processes inherit: the variables by which they find their parent
// (the adapter convention) and check its answers. One process has one
// environment, so one of its sessions is the parent of all processes started
// here: the one with a screen, else the oldest.
import { shared } from "./process.js";

/** What every session of this process is opened with. */
export function sessionOptions(host) {
  return {
    agentDir: host.agentDir ?? null,
    packageDir: host.packageDir ?? null,
    installDir: host.installDir,
    environment: inherited(),
  };
}

/** The environment as this process inherited it, without our own exports. */
function inherited() {
  const environment = { ...process.env };
  for (const [name, ours] of shared().exported) {
    if (environment[name] !== ours.value) continue;
    if (ours.inherited === undefined) delete environment[name];
    else environment[name] = ours.inherited;
  }
  return environment;
}

/** Makes the environment say what the sessions that run now want it to say. */
export function refreshExports() {
  const { instances, exported } = shared();
  const running = [...instances.values()];
  const owner = running.find((instance) => instance.hasUi()) ?? running[0];
  const wanted = new Map(owner?.exports() ?? []);
  for (const name of new Set([...exported.keys(), ...wanted.keys()])) {
    const ours = exported.get(name);
    const current = process.env[name];
    // A value that is not ours was put there by someone else since; it counts
    // as inherited from now on.
    const before = ours && ours.value === current ? ours.inherited : current;
    const value = wanted.get(name);
    if (value === undefined) {
      exported.delete(name);
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    } else {
      exported.set(name, { value, inherited: before });
      process.env[name] = value;
    }
  }
}
