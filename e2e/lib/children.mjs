// The ways in which children come into being, by the extension that makes them.
import { fixture, hostPackage } from "./world.mjs";

const TASK = "[script:child] go";

/**
 * The makers. `call` is what the parent's model calls; `extension` is loaded
 * into the parent, `everywhere` into every session.
 */
export const MAKERS = {
  "pi-subagents, foreground": {
    extension: (host) => hostPackage(host, "pi-subagents"),
    call: ["subagent", { agent: "tester", task: TASK, async: false }],
    process: false,
  },
  "pi-subagents, background": {
    extension: (host) => hostPackage(host, "pi-subagents"),
    call: ["subagent", { agent: "tester", task: TASK, async: true }],
    process: true,
  },
  "@tintinweb/pi-subagents": {
    extension: (host) => hostPackage(host, "@tintinweb/pi-subagents"),
    call: ["Agent", { subagent_type: "tester", prompt: TASK, description: "test" }],
    process: false,
  },
  "Pi's example subagent extension": {
    extension: (host) => `${hostPackage(host, "@earendil-works/pi-coding-agent")}/examples/extensions/subagent/index.ts`,
    call: ["subagent", { agent: "tester", task: TASK, agentScope: "user" }],
    process: true,
  },
  "pi -p from the model's shell": {
    call: ["bash", { command: `pi -p "${TASK}"` }],
    process: true,
    own: true,
  },
  "SDK child, announced, with its own copy": {
    extension: () => fixture("extensions/sdk-child.mjs"),
    call: ["spawn_child", { prompt: TASK, announce: true, extensions: true }],
    process: false,
  },
  "SDK child, announced, without a copy": {
    extension: () => fixture("extensions/sdk-child.mjs"),
    call: ["spawn_child", { prompt: TASK, announce: true, extensions: false }],
    process: false,
  },
  "SDK child, not announced, with its own copy": {
    extension: () => fixture("extensions/sdk-child.mjs"),
    call: ["spawn_child", { prompt: TASK, extensions: true }],
    process: false,
  },
  "SDK child, not announced, without a copy": {
    extension: () => fixture("extensions/sdk-child.mjs"),
    call: ["spawn_child", { prompt: TASK }],
    process: false,
  },
};

/** An agent file that the subagent extensions understand. */
export const AGENT = `---
name: tester
description: Runs what it is told to run
model: scripted/script
tools: bash
---
You are a tester.
`;
