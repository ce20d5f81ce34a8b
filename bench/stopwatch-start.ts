// Loaded before the extension under test: notes when a tool call arrives.
// biome-ignore lint: plain globals are the only thing two extensions share
export default function (pi: any) {
  pi.on("tool_call", () => {
    (globalThis as any).countersignStopwatch = performance.now();
  });
}
