// The interface for other extensions: a service for each session, found
// through the same process-global symbols that they already use.
import { shared } from "./process.js";

const SERVICES = Symbol.for("@gotgenes/pi-permission-system:session-services");
const ROOT_SERVICE = Symbol.for("@gotgenes/pi-permission-system:service");
const CHILDREN = Symbol.for("@gotgenes/pi-permission-system:subagent-registry");
const OURS = Symbol.for("countersign:service");

/** How long a link may take, in milliseconds, before the person is asked. */
const LINK_DEADLINE = 60_000;

export const PERMISSIONS_READY_CHANNEL = "permissions:ready";
export const PERMISSIONS_UI_PROMPT_CHANNEL = "permissions:ui_prompt";
export const PERMISSIONS_DECISION_CHANNEL = "permissions:decision";

/** The service of a session, or `undefined` where it has none. */
export function getPermissionsService(sessionId) {
  if (typeof sessionId !== "string") {
    process.emitWarning("getPermissionsService() needs the id of a session", { code: "PI_PERMISSION_SYSTEM_WARN0001" });
    return undefined;
  }
  return services().get(sessionId);
}

function services() {
  globalThis[SERVICES] ??= new Map();
  return globalThis[SERVICES];
}

/** Publishes the service of a session; the older accessor gives the root's. */
export function publish(sessionId, service, isChild) {
  services().set(sessionId, service);
  if (!isChild) globalThis[ROOT_SERVICE] = service;
}

/** Takes a service back, unless a newer one stands in its place. */
export function withdraw(sessionId, service) {
  if (services().get(sessionId) === service) services().delete(sessionId);
  if (globalThis[ROOT_SERVICE] === service) delete globalThis[ROOT_SERVICE];
}

/**
 * The children of this process, where extensions look for them. The addon
 * keeps its own list; this one is for others to read.
 */
export function announcedChildren() {
  globalThis[CHILDREN] ??= childRegistry();
  return globalThis[CHILDREN];
}

function childRegistry() {
  const children = new Map();
  return {
    register: (id, about) => void children.set(id, about),
    unregister: (id) => void children.delete(id),
    get: (id) => children.get(id),
    has: (id) => children.has(id),
  };
}

/** Whether another permission system runs in this process. */
export function anotherSystem(sessionId) {
  const found = [globalThis[ROOT_SERVICE], services().get(sessionId)];
  return found.some((service) => service !== undefined && service?.[OURS] !== true);
}

/** What other extensions may ask of a session, and register with it. */
export class Service {
  #native;
  #formatters = new Map();
  #extractors = new Map();
  #authorizers = new Map();
  [OURS] = true;

  constructor(native) {
    this.#native = native;
  }

  /** Asks one authorizer link; what is no clear word, or comes late, is none. */
  async consult(name, details) {
    const query = {
      checkPermission: (...about) => this.checkPermission(...about),
      getToolPermission: (...about) => this.getToolPermission(...about),
    };
    const log = {
      review: (event, fields) => this.#native.note(String(event), JSON.stringify(fields ?? {}), false),
      debug: (event, fields) => this.#native.note(String(event), JSON.stringify(fields ?? {}), true),
    };
    let timer;
    const late = new Promise((done) => {
      timer = setTimeout(done, LINK_DEADLINE, { kind: "defer" });
    });
    try {
      return (await Promise.race([this.#authorizers.get(name)?.(details, query, log), late])) ?? { kind: "defer" };
    } catch {
      return { kind: "defer" };
    } finally {
      clearTimeout(timer);
    }
  }

  #tellLinks() {
    this.#native.setContext(JSON.stringify({ links: [...this.#authorizers.keys()] }));
  }

  checkPermission(surface, value, agentName) {
    return JSON.parse(this.#native.query(surface, value, agentName));
  }

  getToolPermission(toolName, agentName) {
    return this.checkPermission(toolName, undefined, agentName).state;
  }

  isToolFullyDenied(toolName, agentName) {
    return this.#native.fullyDenied(toolName, agentName);
  }

  registerToolInputFormatter(toolName, formatter) {
    // The built-in one keeps its place, and says where a call goes.
    if (toolName === "mcp") throw new Error("there is already one input formatter for 'mcp'");
    return register(this.#formatters, toolName, formatter, "input formatter");
  }

  registerToolAccessExtractor(toolName, extractor) {
    return register(this.#extractors, toolName, extractor, "access extractor");
  }

  registerAuthorizer(name, authorize) {
    const dispose = register(this.#authorizers, name, authorize, "authorizer");
    this.#tellLinks();
    return () => {
      dispose();
      this.#tellLinks();
    };
  }

  getToolInputFormatter(toolName) {
    return this.#formatters.get(toolName);
  }

  getToolAccessExtractor(toolName) {
    return this.#extractors.get(toolName);
  }
}

/** More sessions than this do not stand above one another. */
const DEPTH = 16;

/**
 * What was registered about a call's tool says of it: its preview and its
 * path. A child in this process has what its parents have, where it has
 * nothing of its own.
 */
export function describe(addon, sessionId, call) {
  let formatter;
  let extractor;
  for (let id = sessionId, depth = 0; id && depth < DEPTH; id = addon.parentOf(id), depth++) {
    const service = shared().instances.get(id)?.service();
    formatter ??= service?.getToolInputFormatter(call.name);
    extractor ??= service?.getToolAccessExtractor(call.name);
  }
  // A path that cannot be read out blocks the call; a text for a person that
  // cannot be made is made by the addon.
  const path = extractor?.(call.input);
  const preview = call.name === "bash" ? undefined : attempt(() => formatter?.(call.input));
  return {
    ...(typeof preview === "string" ? { preview } : {}),
    ...(typeof path === "string" ? { path } : {}),
  };
}

function attempt(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function register(entries, name, entry, what) {
  if (typeof entry !== "function") throw new TypeError(`the ${what} for '${name}' is not a function`);
  if (entries.has(name)) throw new Error(`there is already one ${what} for '${name}'`);
  entries.set(name, entry);
  return () => {
    if (entries.get(name) === entry) entries.delete(name);
  };
}
