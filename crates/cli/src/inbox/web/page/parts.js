// Parts of the page that know nothing of its state. Everything that comes from
// a question is put on the page as text; nothing is ever parsed as markup.
"use strict";

const $ = (id) => document.getElementById(id);

/** Makes an element; strings among its children become text. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function searchable(question) {
  const facts = question.facts.flatMap((fact) => [fact.text, fact.detail ?? ""]);
  return [question.agent, question.asker, question.surface ?? "", question.cwd ?? "", ...facts].join("\n").toLowerCase();
}

function age(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h`;
}

const flagged = (question) => question.facts.find((fact) => fact.flagged);
const full = (question) => question.facts.find((fact) => fact.label === "full command")?.text;
const short = (question) =>
  (full(question) ?? flagged(question)?.text ?? question.value ?? "").replaceAll("\n", "⏎").slice(0, 300);

/** Where `part` stands in `text` as words of its own: pairs of start and end. */
function places(text, part) {
  const found = [];
  const joins = (character) => character !== undefined && /[\w./-]/.test(character);
  for (let at = text.indexOf(part); part && at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    if (!joins(text[at - 1]) && !joins(text[end])) found.push([at, end]);
  }
  return found;
}

/** `text` with these places marked. */
function marking(text, found) {
  const nodes = [];
  let from = 0;
  for (const [start, end] of found.toSorted((one, other) => one[0] - other[0])) {
    if (end <= from) continue;
    nodes.push(text.slice(from, Math.max(start, from)), make("mark", {}, text.slice(Math.max(start, from), end)));
    from = end;
  }
  return [...nodes, text.slice(from)];
}

function details(question) {
  const main = flagged(question);
  const text = full(question) ?? main?.text ?? question.value ?? "";
  // What decides is marked in the whole command; what is not part of it, or
  // has more to say, gets a line of its own.
  const told = new Set(question.facts.filter((fact) => fact.label === "full command"));
  const found = [];
  for (const fact of question.facts.filter((fact) => fact.flagged)) {
    const here = text === fact.text ? [[0, 0]] : places(text, fact.text);
    found.push(...here);
    if (here.length && !fact.detail) told.add(fact);
  }
  const rest = question.facts.filter((fact) => !told.has(fact));
  const askers = rest.filter((fact) => fact.label === "subagent");
  const list = make("dl");
  const line = (label, text, strong) =>
    list.append(make("dt", {}, label), make("dd", {}, strong ? make("mark", {}, text) : text));
  let placed = !question.cwd || rest.some((fact) => fact.label === "working directory");
  const directory = () => {
    if (!placed) line("directory", question.cwd);
    placed = true;
  };
  for (const fact of rest) {
    // The heading above names the one that asks.
    if (fact.label === "subagent" && askers.length === 1) continue;
    if (fact.label === "tool" && fact.text === question.surface) continue;
    line(fact.label, fact.detail ? `${fact.text} → ${fact.detail}` : fact.text, fact.flagged);
    if (fact.label === "rule") directory();
  }
  directory();
  return [make("pre", { tabIndex: 0 }, ...marking(text, found)), list];
}

/** Makes `parent` hold exactly `nodes`, moving as little as possible. */
function hold(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (parent.childNodes[at] !== node) parent.insertBefore(node, parent.childNodes[at] ?? null);
  });
}

/** The sessions as a tree, from the one nearest to this inbox on. */
function tree(questions) {
  const root = { children: new Map(), questions: [] };
  for (const question of questions) {
    const path = [...question.through].reverse().concat({ session: question.asker, agent: question.agent });
    let node = root;
    let key = "";
    for (const hop of path) {
      key += `\n${hop.session}`;
      if (!node.children.has(key)) node.children.set(key, { key, ...hop, children: new Map(), questions: [] });
      node = node.children.get(key);
    }
    node.questions.push(question);
  }
  return root;
}
