// The dialog in a real terminal, answered by keys.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { makeWorld, until } from "../lib/world.mjs";

const tmuxIsHere = (() => {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false;
  }
})();

let world;
let socket;
const tmux = (...args) => execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8", env: { ...world.env, TERM: "xterm-256color" } });
const screen = () => tmux("capture-pane", "-p", "-t", "pi");
const shows = (pattern) => until(() => pattern.test(screen()), `${pattern} on the screen`).catch((error) => {
  throw new Error(`${error.message}\n${screen()}`);
});

before(async () => {
  world = await makeWorld({
    scripts: {
      yes: [[["bash", { command: "touch yes.txt" }]], "all is done"],
      no: [[["bash", { command: "touch no.txt" }]], "nothing was done"],
      child: [[["bash", { command: "touch child.txt" }]], "child done"],
    },
  });
  socket = `${world.base}/tmux`;
});

after(async () => {
  try {
    tmux("kill-server");
  } catch { /* not started */ }
  await world?.close();
});

test("keys answer: y twice, a reason, and a child's question", { skip: tmuxIsHere ? false : "no tmux on this machine" }, async () => {
  tmux("new-session", "-d", "-s", "pi", "-x", "100", "-y", "40", "-c", world.project, `${world.base}/bin/pi`);
  await shows(/script/i);
  const type = async (text) => {
    tmux("send-keys", "-t", "pi", "-l", text);
    await shows(new RegExp(text.replace(/[[\]]/g, ".")));
    tmux("send-keys", "-t", "pi", "Enter");
  };

  await type("[script:yes] go");
  await shows(/Permission Required[\s\S]*touch yes\.txt/);
  tmux("send-keys", "-t", "pi", "y");
  await shows(/Press y again/);
  assert.ok(!world.exists("project/yes.txt"), "one press is no answer");
  tmux("send-keys", "-t", "pi", "y");
  await shows(/all is done/);
  assert.ok(world.exists("project/yes.txt"));

  await type("[script:no] go");
  await shows(/Permission Required[\s\S]*touch no\.txt/);
  tmux("send-keys", "-t", "pi", "r");
  await shows(/Press r again/);
  tmux("send-keys", "-t", "pi", "r");
  tmux("send-keys", "-t", "pi", "-l", "not today");
  await shows(/not today/);
  tmux("send-keys", "-t", "pi", "Enter");
  await shows(/nothing was done/);
  assert.match(world.models.resultsOf("no")[0], /not today/);

  const { sessionId } = world.logged("forwarded_permission.serving_started")[0];
  const child = world.child("[script:child] go", { parent: sessionId });
  await shows(/Permission Required \(Subagent\)[\s\S]*touch child\.txt/);
  tmux("send-keys", "-t", "pi", "Escape");
  await child;
  assert.match(world.models.resultsOf("child")[0], /denied/i);
  assert.ok(!world.exists("project/child.txt"));
});
