// What this extension needs from the host beyond its extension interface.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The host's public exports that are used here; missing ones are `undefined`. */
export function describeHost(agent, tui) {
  const call = (make) => (typeof make === "function" ? make() : undefined);
  return {
    AgentSession: agent.AgentSession,
    agentDir: call(agent.getAgentDir),
    packageDir: call(agent.getPackageDir),
    installDir: dirname(dirname(fileURLToPath(import.meta.url))),
    tui,
  };
}
