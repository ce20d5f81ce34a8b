// The entry that Pi loads. Whatever goes wrong while loading must end in
// blocked tool calls: an extension that merely fails to load leaves Pi running
// without any gate. So everything of ours is imported inside `try`; the host's
// own modules are imported here, because Pi maps their names in this file only.
import * as agent from "@earendil-works/pi-coding-agent";
import * as tui from "@earendil-works/pi-tui";

export default async function countersign(pi) {
  try {
    const [{ loadAddon }, { Instance }, { describeHost }] = await Promise.all([
      import("./lib/addon.js"),
      import("./lib/instance.js"),
      import("./lib/host.js"),
    ]);
    new Instance(pi, describeHost(agent, tui), loadAddon()).install();
  } catch (error) {
    blockEverything(pi, error);
  }
}

/** Blocks every tool call and says why and what to do. */
function blockEverything(pi, error) {
  const why = error instanceof Error ? error.message : String(error);
  const reason =
    `[pi-permission-system] The permission system could not start, so every tool call is blocked: ${why} ` +
    `To go on, reinstall the package for this machine (${process.platform}-${process.arch}) with \`pi install\`, ` +
    "or remove it with `pi remove`; then restart Pi.";
  pi.on("tool_call", () => ({ block: true, reason }));
  pi.on("session_start", (_event, ctx) => {
    ctx.ui.notify(reason, "error");
    if (ctx.hasUI) ctx.ui.setStatus("pi-permission-system", "permissions: blocked");
  });
}
