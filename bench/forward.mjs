// How long a forwarded question takes between two real Pi processes: a child
// (`pi -p`) asks, the parent (`pi --mode rpc`) shows the dialog, a client
// answers at once, the child goes on. Ours and the predecessor's in the same
// run, alternating. The time is the child's: from its tool call to its answer.
//
//   node forward.mjs --ours <extension> --theirs <extension> [--asks 200] [--host <folder of a host's node_modules>]
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { option } from "../e2e/lib/rpc.mjs";
import { makeWorld } from "../e2e/lib/world.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    ours: { type: "string" },
    theirs: { type: "string" },
    asks: { type: "string", default: "200" },
    batches: { type: "string", default: "4" },
    host: { type: "string", default: "hosts/pi-1.6.0/node_modules" },
  },
});
const host = basename(dirname(options.host)).replace(/^pi-/, "");

const asks = Number(options.asks);
const batches = Number(options.batches);
const times = { ours: [], theirs: [] };
for (let batch = 0; batch < batches; batch++) {
  for (const side of Object.keys(times)) times[side].push(...(await run(options[side], Math.ceil(asks / batches))));
}

const at = (values, part) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
console.log(`${times.ours.length} questions each, child → parent → child, Pi ${host}`);
console.log(`${"".padEnd(18)}${"ours".padStart(12)}${"predecessor".padStart(16)}${"ratio".padStart(10)}`);
for (const [label, part] of [["median", 0.5], ["99th percentile", 0.99]]) {
  const [a, b] = [at(times.ours, part), at(times.theirs, part)];
  console.log(`${label.padEnd(18)}${`${a.toFixed(2)} ms`.padStart(12)}${`${b.toFixed(1)} ms`.padStart(16)}${`${(b / a).toFixed(1)}×`.padStart(10)}`);
}

async function run(extension, count) {
  const script = ({ turn }) => (turn < count ? [["bash", { command: `echo ${turn}` }]] : "done");
  const world = await makeWorld({ host, packages: [], scripts: { ask: script } });
  try {
    const parent = await world.parent({ args: ["-e", extension], answer: (dialog) => option(dialog, /^(y\W|\W*yes\W*$)/i) });
    const file = join(world.base, "times.txt");
    const child = await world.child("[script:ask] go", {
      parent: parent.sessionId,
      args: ["-e", join(here, "stopwatch-start.ts"), "-e", extension, "-e", join(here, "stopwatch-stop.ts")],
      // The predecessor wants a marker beside the parent variable.
      env: { STOPWATCH_FILE: file, PI_SUBAGENT_CHILD: "1" },
    });
    if (child.code !== 0) throw new Error(`the child failed: ${child.stderr}`);
    const taken = readFileSync(file, "utf8").split("\n").filter(Boolean).map(Number);
    if (taken.length !== count) throw new Error(`${taken.length} of ${count} questions were approved: ${child.stdout}${child.stderr}`);
    await parent.end();
    return taken;
  } finally {
    await world.close();
  }
}
