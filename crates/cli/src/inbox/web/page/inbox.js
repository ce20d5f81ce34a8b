// The inbox in a browser: what it knows, shows and sends.
"use strict";

/** A key or a click this soon after something moved was meant for what stood there before. */
const UNREAD = 600;
/** A lasting approval must be pressed again within this time. */
const ARMED = 5000;

const NAMES = {
  once: ["Yes, once", "y"],
  subagent: ["This subagent", "s"],
  session: ["Whole session", "a"],
  project: ["Project", "p"],
  everywhere: ["Everywhere", "e"],
};

const state = {
  /** @type {Map<string, object>} the waiting questions, in the order they came */
  waiting: new Map(),
  history: [],
  marked: new Set(),
  busy: new Set(),
  current: null,
  /** The person closed the question that was open, and none opens by itself. */
  closed: false,
  browser: 0,
  live: false,
  signedIn: true,
  lookingBack: false,
  /** The cards whose reason is being typed. */
  reason: null,
  armed: null,
  moved: 0,
};
const cards = new Map();
const sections = new Map();
const secret = () => localStorage.getItem("secret") ?? "";

// ---- talking to the inbox

function headers() {
  return { "Content-Type": "application/json", "X-Countersign-Secret": secret() };
}

async function post(path, body) {
  const response = await fetch(path, { method: "POST", headers: headers(), body: JSON.stringify(body) });
  return { status: response.status, ...(await response.json()) };
}

/** Opens the one-time link this page was called with, if it was. */
async function openLink() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", "/");
  const said = await post("/open", { token });
  if (said.status === 200) localStorage.setItem("secret", said.secret);
  else notice(said.error);
}

/** Listens until the connection breaks. Whether it is worth trying again. */
async function listen() {
  const response = await fetch("/events", { headers: headers() });
  if (response.status === 401 || response.status === 403) {
    state.signedIn = false;
    connection(false, "not signed in");
    return false;
  }
  if (!response.ok) throw new Error((await response.json()).error);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return true;
    text += value;
    const pieces = text.split("\n\n");
    text = pieces.pop();
    for (const piece of pieces) if (receive(piece)) return false;
  }
}

/** One server-sent event; whether it was the last. */
function receive(piece) {
  let name = "";
  let data = "";
  for (const line of piece.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data = line.slice(6);
  }
  if (!data) return false;
  const said = JSON.parse(data);
  if (name === "all") takeAll(said);
  else if (name === "asked") add(said);
  else if (name === "gone") remove(said);
  else if (name === "decided") state.history.unshift(said);
  else if (name === "notice") notice(said.text);
  else if (name === "ended") {
    state.waiting.clear();
    connection(false, "the inbox has ended");
    return true;
  }
  render();
  return false;
}

async function connect() {
  let pause = 500;
  for (;;) {
    try {
      if (!(await listen())) return;
      pause = 500;
    } catch {
      pause = Math.min(pause * 2, 10_000);
    }
    connection(false, "no connection, trying again");
    await new Promise((done) => setTimeout(done, pause));
  }
}

function connection(live, text) {
  state.live = live;
  $("state").textContent = text;
  $("state").className = live ? "live" : "lost";
  render();
}

// ---- what is known

function takeAll(said) {
  const before = state.waiting;
  state.browser = said.browser;
  state.history = said.history;
  state.waiting = new Map(said.waiting.map((question) => [question.id, arrived(question)]));
  for (const id of state.marked) {
    if (before.get(id)?.digest !== state.waiting.get(id)?.digest) state.marked.delete(id);
  }
  for (const id of cards.keys()) if (before.get(id)?.digest !== state.waiting.get(id)?.digest) cards.delete(id);
  state.busy.clear();
  state.moved = performance.now();
  connection(true, `browser ${said.browser} · ${said.session}`);
}

function arrived(question) {
  return { ...question, since: Date.now() - question.waited, text: searchable(question) };
}

function add(question) {
  state.waiting.set(question.id, arrived(question));
}

function remove({ id, browser, words }) {
  const visible = shown();
  const at = visible.indexOf(id);
  if (browser && browser !== state.browser && state.waiting.has(id)) {
    notice(`browser ${browser} answered “${short(state.waiting.get(id))}”: ${words}`);
  }
  state.waiting.delete(id);
  state.marked.delete(id);
  state.busy.delete(id);
  cards.delete(id);
  if (state.reason?.includes(id)) {
    state.reason = state.reason.filter((other) => other !== id);
    if (!state.reason.length) state.reason = null;
  }
  if (at >= 0) state.moved = performance.now();
  if (state.current === id) state.current = visible[at + 1] ?? visible[at - 1] ?? null;
}

/** The ids on the screen, in its order. */
function shown() {
  return [...document.querySelectorAll("#questions article")].map((card) => card.dataset.id);
}

function fits(question) {
  return question.text.includes($("filter").value.trim().toLowerCase());
}

const tooSoon = () => performance.now() - state.moved < UNREAD;

// ---- answering

/** The questions an answer goes to: the marked ones, else the current one. */
function chosen() {
  if (!state.live || state.lookingBack) return [];
  if (tooSoon()) {
    notice("the questions just moved: look, then press again");
    return [];
  }
  const ids = state.marked.size ? [...state.marked] : [state.current];
  return ids.filter((id) => state.waiting.has(id) && !state.busy.has(id));
}

/** What all of these questions offer. */
function offers(ids) {
  const all = ids.map((id) => state.waiting.get(id)?.offers ?? []);
  const same = (one, other) => one.reach === other.reach && one.both === other.both;
  return (all[0] ?? []).filter((offer) => all.every((list) => list.some((other) => same(offer, other))));
}

function approve(ids, reach, both) {
  if (!ids.length) return;
  if (!offers(ids).some((offer) => offer.reach === reach && offer.both === both)) {
    notice(ids.length > 1 ? "not all of the marked questions offer that" : "this question does not offer that");
    return;
  }
  const lasting = reach === "project" || reach === "everywhere";
  const key = `${reach} ${ids.join(" ")}`;
  if (lasting && state.armed !== key) {
    state.armed = key;
    notice(`this is kept for good: press ${NAMES[reach][0]} again to confirm`);
    setTimeout(() => {
      if (state.armed === key) state.armed = null;
      render();
    }, ARMED);
    render();
    return;
  }
  send(ids, { answer: reach, both });
}

async function send(ids, answer) {
  if (!ids.length) return;
  state.armed = null;
  state.reason = null;
  for (const id of ids) state.busy.add(id);
  render();
  const questions = ids.map((id) => ({ id, digest: state.waiting.get(id).digest }));
  try {
    const said = await post("/answer", { questions, ...answer });
    if (said.error) notice(`not answered: ${said.error}`);
    const failed = (said.results ?? []).filter((result) => result.outcome !== "answered");
    if (failed.length) notice([...new Set(failed.map((result) => result.told))].join(" · "));
  } catch {
    notice("no connection: the answer may not have arrived");
  }
  for (const id of ids) state.busy.delete(id);
  render();
}

function deny(ids) {
  send(ids, { answer: "deny" });
}

function askReason(ids) {
  if (!ids.length) return;
  state.reason = ids;
  render();
  document.querySelector("form.reason input")?.focus();
}

// ---- the page

let noticeTimer = 0;
function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => ($("notice").hidden = true), 8000);
}

function card(question) {
  const known = cards.get(question.id);
  if (known) return known;
  const box = make("input", { type: "checkbox", ariaLabel: `Mark ${short(question)}` });
  box.addEventListener("change", () => mark(question.id));
  const row = make(
    "div",
    { className: "row" },
    make("label", {}, box),
    make("span", { className: "chip", title: question.surface ?? "" }, question.surface ?? "?"),
    make("span", { className: "what" }, short(question)),
    make("time", { className: "age" }),
  );
  row.addEventListener("click", (event) => {
    if (event.target.closest("label")) return;
    select(state.current === question.id && event.detail < 2 ? null : question.id);
  });
  const element = make("article", {}, row, make("div", { className: "body", hidden: true }));
  element.dataset.id = question.id;
  cards.set(question.id, element);
  return element;
}

function buttons(ids, list) {
  const row = [];
  for (const offer of list) {
    const [name, key] = NAMES[offer.reach];
    const both = offer.both ? ", reads and writes" : "";
    const armed = state.armed === `${offer.reach} ${ids.join(" ")}`;
    const button = make(
      "button",
      { type: "button", className: armed ? "sure" : offer.reach === "once" ? "yes" : "", title: offer.label },
      armed ? "Press again" : `${name}${both}`,
      make("kbd", {}, offer.both ? key.toUpperCase() : key),
    );
    button.dataset.answer = offer.both ? `${offer.reach}-both` : offer.reach;
    button.addEventListener("click", () => tooSoonOr(() => approve(ids, offer.reach, offer.both)));
    row.push(button);
  }
  const no = make("button", { type: "button", className: "no" }, "No", make("kbd", {}, "n"));
  no.dataset.answer = "deny";
  no.addEventListener("click", () => tooSoonOr(() => deny(ids)));
  const why = make("button", { type: "button" }, "No, because…", make("kbd", {}, "r"));
  why.dataset.answer = "reason";
  why.addEventListener("click", () => tooSoonOr(() => askReason(ids)));
  row.push(make("span", { className: "gap" }), no, why);
  const waiting = ids.some((id) => state.busy.has(id));
  for (const button of row) if (button.tagName === "BUTTON") button.disabled = !state.live || waiting;
  return row;
}

function tooSoonOr(act) {
  if (tooSoon()) notice("the questions just moved: look, then press again");
  else act();
}

function reasonForm(ids) {
  const input = make("input", { type: "text", placeholder: "Why not? The model is told.", maxLength: 2000, ariaLabel: "Reason" });
  const form = make("form", { className: "reason" }, input, make("button", { className: "no" }, "Deny"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reason = input.value.trim();
    if (reason) send(ids.filter((id) => state.waiting.has(id)), { answer: "deny", reason });
    else notice("a reason is required; Esc goes back");
  });
  return form;
}

function section(node) {
  let element = sections.get(node.key);
  if (!element) {
    const title = make("h2", {}, node.agent ?? "session", make("small", {}, node.session));
    element = make("section", { className: "session" }, title);
    sections.set(node.key, element);
  }
  const children = [...node.children.values()].map(section);
  hold(element, [element.firstChild, ...node.questions.map(card), ...children]);
  return element;
}

function nothing() {
  if (!state.signedIn) {
    return ["This browser is not signed in", "Open a one-time link: press Enter where the inbox runs, or “Link” in a browser that is."];
  }
  if (state.waiting.size) return ["Nothing fits the filter", "Esc clears it."];
  if (!state.live) return ["Nothing to show", $("state").textContent];
  return ["Nothing waits", "Runs that name this inbox as their parent ask here. countersign inbox --id tells how to point one at it."];
}

function render() {
  const questions = state.signedIn ? [...state.waiting.values()].filter(fits) : [];
  for (const id of state.marked) if (!questions.some((question) => question.id === id)) state.marked.delete(id);
  const nodes = [...tree(questions).children.values()].map(section);
  if (!nodes.length) {
    const [title, text] = nothing();
    nodes.push(make("p", { className: "empty" }, make("strong", {}, title), text));
  }
  hold($("questions"), nodes);
  for (const [key, element] of sections) if (!element.isConnected) sections.delete(key);
  const order = shown();
  if (state.current !== null && !order.includes(state.current)) state.current = null;
  if (state.current === null && order.length && !state.closed) {
    state.current = order[0];
    state.moved = performance.now();
  }
  for (const question of questions) paint(question);
  marks();
  past();
  const count = state.waiting.size;
  $("count").textContent = count ? `${count} waiting` : "Inbox";
  document.title = count ? `(${count}) countersign inbox` : "countersign inbox";
  ages();
}

function paint(question) {
  const element = cards.get(question.id);
  const current = question.id === state.current;
  element.classList.toggle("current", current);
  element.querySelector("input[type=checkbox]").checked = state.marked.has(question.id);
  const body = element.lastChild;
  body.hidden = !current;
  if (!current) {
    body.replaceChildren();
    return;
  }
  if (!body.firstChild) {
    const grant = question.grant && question.offers.length > 1;
    body.append(
      ...details(question),
      grant ? make("p", { className: "grant" }, `Remembered, it allows ${question.grant}`) : "",
      make("div", { className: "actions" }),
    );
  }
  const actions = body.querySelector(".actions");
  actions.hidden = state.marked.size > 0;
  refresh(actions, buttons([question.id], question.offers));
  reasonIn(body, state.marked.size === 0 && state.reason?.includes(question.id) ? state.reason : null);
}

/** Buttons are replaced only where one changed, so that none loses the focus. */
function refresh(row, wanted) {
  const look = (nodes) => [...nodes].map((node) => `${node.className} ${node.textContent} ${node.disabled}`).join("\n");
  if (look(row.childNodes) !== look(wanted)) row.replaceChildren(...wanted);
}

function reasonIn(parent, ids) {
  const form = parent.querySelector("form.reason");
  if (!ids) form?.remove();
  else if (!form) parent.append(reasonForm(ids));
}

function marks() {
  const bar = $("marked");
  bar.hidden = state.marked.size === 0;
  if (bar.hidden) {
    bar.replaceChildren();
    return;
  }
  const ids = [...state.marked];
  const key = ids.join(" ");
  if (bar.dataset.ids !== key) {
    bar.dataset.ids = key;
    bar.replaceChildren(make("div", { className: "actions" }));
  }
  if (!bar.firstChild) bar.append(make("div", { className: "actions" }));
  refresh(bar.firstChild, [make("strong", {}, `${ids.length} marked`), ...buttons(ids, offers(ids))]);
  reasonIn(bar, state.reason);
}

function past() {
  $("history").hidden = !state.lookingBack;
  $("questions").hidden = state.lookingBack;
  $("show-history").setAttribute("aria-pressed", String(state.lookingBack));
  if (!state.lookingBack) return;
  const words = $("filter").value.trim().toLowerCase();
  const rows = state.history
    .filter((entry) => `${entry.what}\n${entry.agent}\n${entry.word}`.toLowerCase().includes(words))
    .map((entry) => {
      let by = entry.by;
      if (entry.browser) by = entry.browser === state.browser ? "this browser" : `browser ${entry.browser}`;
      if (entry.browser && entry.by.endsWith("remembered")) by += ", and remembered";
      const time = new Date(entry.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
      return make(
        "tr",
        { className: entry.word },
        ...[time, entry.word, entry.what, `${entry.agent} · ${by}`].map((text) => make("td", {}, text)),
      );
    });
  const empty = make("p", { className: "empty" }, make("strong", {}, "Nothing decided yet"), "What is decided while this inbox runs stands here; countersign log has everything.");
  $("history").replaceChildren(rows.length ? make("table", {}, make("tbody", {}, ...rows)) : empty);
}

function ages() {
  const now = Date.now();
  for (const [id, element] of cards) {
    const question = state.waiting.get(id);
    if (question) element.querySelector("time").textContent = age(now - question.since);
  }
}

// ---- choosing

function select(id) {
  state.closed = id === null;
  if (id !== state.current) state.reason = null;
  state.current = id;
  state.armed = null;
  state.moved = performance.now();
  render();
  if (id) cards.get(id)?.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const order = shown();
  const at = order.indexOf(state.current);
  const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), order.length - 1);
  if (order[next] && order[next] !== state.current) select(order[next]);
}

function mark(id) {
  if (!state.waiting.has(id)) return;
  if (!state.marked.delete(id)) state.marked.add(id);
  state.reason = null;
  state.armed = null;
  render();
}

function clear() {
  if (state.reason) state.reason = null;
  else {
    $("filter").value = "";
    state.marked.clear();
    state.lookingBack = false;
  }
  document.activeElement?.blur();
  render();
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  " ": () => mark(state.current),
  "/": () => $("filter").focus(),
  h: () => toggleHistory(),
  "?": () => help(),
  n: () => deny(chosen()),
  r: () => askReason(chosen()),
  y: () => approve(chosen(), "once", false),
  s: () => approve(chosen(), "subagent", false),
  S: () => approve(chosen(), "subagent", true),
  a: () => approve(chosen(), "session", false),
  A: () => approve(chosen(), "session", true),
  p: () => approve(chosen(), "project", false),
  e: () => approve(chosen(), "everywhere", false),
};

document.addEventListener("keydown", (event) => {
  if ($("dialog").open || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape") return clear();
  const typing = event.target.closest?.("input:not([type=checkbox]), textarea");
  if (typing || event.repeat && !["j", "k", "ArrowDown", "ArrowUp"].includes(event.key)) return;
  // Space and Enter on a button are its own.
  if (event.key === " " && event.target.closest?.("button, input")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

function toggleHistory() {
  state.lookingBack = !state.lookingBack;
  state.moved = performance.now();
  render();
}

function openDialog(title, ...children) {
  const close = make("button", { type: "button" }, "Close");
  close.addEventListener("click", () => $("dialog").close());
  $("dialog").replaceChildren(make("h2", {}, title), ...children, close);
  $("dialog").showModal();
}

function help() {
  const rows = [
    ["j k ↑ ↓", "choose a question"],
    ["y", "yes, once"],
    ["s a", "yes, for this subagent, for the whole session"],
    ["S A", "the same for reads and writes"],
    ["p e", "yes, for the project, everywhere (press twice)"],
    ["n", "no"],
    ["r", "no, with a reason that reaches the model"],
    ["space", "mark; an answer then goes to all marked ones"],
    ["/", "filter"],
    ["h", "what was decided"],
    ["Esc", "back"],
  ];
  const cells = ([key, text]) => make("tr", {}, make("td", {}, key), make("td", {}, text));
  openDialog("Keys", make("table", {}, make("tbody", {}, ...rows.map(cells))), make("p"));
}

async function device() {
  const said = await post("/link", {}).catch(() => ({ error: "no connection" }));
  if (said.error) return notice(said.error);
  const links = [...new Set([...said.names.map((name) => `https://${name}`), location.origin])];
  const line = (origin) => make("p", {}, make("code", {}, `${origin}/#${said.token}`));
  openDialog("Another browser", make("p", {}, "This link opens the inbox once, within 10 minutes:"), ...links.map(line));
}

const THEMES = ["auto", "dark", "light"];
function theme(name) {
  localStorage.setItem("theme", name);
  document.documentElement.dataset.theme = name;
  $("theme").textContent = name[0].toUpperCase() + name.slice(1);
}

$("filter").addEventListener("input", () => {
  state.moved = performance.now();
  render();
});
$("notice").addEventListener("click", () => ($("notice").hidden = true));
$("show-history").addEventListener("click", toggleHistory);
$("show-device").addEventListener("click", device);
$("show-help").addEventListener("click", help);
$("theme").addEventListener("click", () => theme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % 3]));
theme(THEMES.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "auto");

// A link pasted into the same tab.
window.addEventListener("hashchange", () => {
  if (location.hash.length > 1) location.reload();
});
setInterval(ages, 1000);

openLink()
  .catch(() => notice("no connection: the link was not opened"))
  .then(connect);
