// Loaded after the extension under test: a call that gets here was let
// through; writes down how long that took, in milliseconds.
import { appendFileSync } from "node:fs";

export default function (pi: any) {
  pi.on("tool_call", () => {
    const took = performance.now() - (globalThis as any).countersignStopwatch;
    appendFileSync(process.env.STOPWATCH_FILE!, `${took}\n`);
  });
}
