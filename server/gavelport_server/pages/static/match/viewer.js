// The replay viewer. It knows no rules: positions, words and amounts come from the server; here they are placed on the page.

import { chart } from "./chart.js";
import { h, icon, reduced, seat } from "./dom.js";
import { frames } from "./frames.js";
import { AUCTIONS, beside, faultMarks } from "./line.js";
import { log } from "./log.js";
import { scoring } from "./scoring.js";
import { timeline } from "./timeline.js";

const root = document.getElementById("viewer");
const { match, game } = root.dataset;
const drawing = import(root.dataset.table);
const KEYS = [
  ["← →", "one decision back, on"], ["Shift + ← →", "one turn back, on"], ["Home, End", "first decision, the end"],
  ["A, Shift + A", "next, previous auction or Order"], ["F, Shift + F", "next, previous fault"], ["Space", "play, pause"],
  ["1 2 3 4", "speed"], ["V", "next view"], ["L", "copy a link to this decision"], ["?", "this list"],
];

let view = root.dataset.view;
let cursor = 1;
let parts = null;
const live = h("p", { class: "vh", "aria-live": "polite" });

async function load(name) {
  const answer = await fetch(`/matches/${encodeURIComponent(match)}/scene.json?view=${encodeURIComponent(name)}`);
  if (!answer.ok) throw new Error(answer.status === 403 ? "The replay is sealed." : "The replay cannot be shown.");
  return answer.json();
}

function asked() {
  const found = /^#d=?(\d{1,6})$/.exec(location.hash);
  return found ? Number(found[1]) : null;
}

function go(to, { glide = false } = {}) {
  const last = parts.scene.steps.length + 1;
  const next = Math.min(last, Math.max(1, to));
  const isStep = glide && next === cursor + 1;
  cursor = next;
  history.replaceState(null, "", `#d=${cursor}`);
  draw(isStep && !reduced());
}

function draw(glide) {
  const { scene, all, table, events, line, curve, status } = parts;
  const step = scene.steps[cursor - 1];
  table.draw({ at: cursor, frame: all[cursor - 1], after: step ? all[cursor] : null, step, glide });
  events.show(cursor);
  line.show(cursor);
  curve.show(cursor);
  const turn = scene.turns.findLast((one) => one.at <= cursor);
  const band = scene.bands.findLast((one) => one.at <= cursor);
  const where = [band && h("span", {}, band.label[0].toUpperCase() + band.label.slice(1)), turn && ` · turn ${turn.turn}`, step ? [" · decision ", h("b", {}, String(cursor)), ` of ${scene.steps.length}`] : ""];
  const now = step ? [seat(step.seat), h("span", {}, `${scene.seats[step.seat].name} ${step.prompt}`)] : [h("span", {}, scene.end ? `The end: ${scene.end}` : "The end")];
  status.now.replaceChildren(...now);
  status.where.replaceChildren(...where.flat().filter(Boolean));
  status.more.replaceChildren(...(table.status?.({ frame: all[cursor - 1], step }) ?? []));
  if (!line.isPlaying()) live.textContent = step ? `Decision ${cursor}: ${scene.seats[step.seat].name} ${step.text}` : "The end";
}

function views(scene) {
  const option = (name, label, content) => {
    const input = h("input", { type: "radio", name: "view", value: name, checked: view === name, "aria-label": label });
    input.addEventListener("change", () => show(name));
    return h("label", { title: label }, input, content);
  };
  return h("fieldset", { class: "views" }, h("legend", { class: "vh" }, "View"), option("full", "Everything", h("span", {}, "Full")),
    option("spectator", "As a spectator saw it", h("span", {}, "Spectator")),
    scene.seats.map((one, index) => option(String(index), `As ${one.name} saw it`, seat(index))));
}

async function show(name) {
  const [scene, { create }] = await Promise.all([load(name), drawing]);
  parts?.line.stop();
  const had = document.activeElement?.name === "view";
  view = name;
  const all = frames(scene);
  const money = scene.unit === "money";
  scene.faults = scene.steps.flatMap((step, index) => (step.fault ? [{ at: index + 1, seat: step.seat, reason: step.fault }] : []));
  const marks = [...scene.marks, ...faultMarks(scene.faults, scene.seats)].sort((one, other) => one.at - other.at);
  const table = create(scene, { go, view });
  const events = log(scene, go);
  const line = timeline(scene, marks, { go, turn, jump }, () => cursor);
  const curve = chart(scene, go, money);
  const status = { now: h("div", { class: "now" }), where: h("div", { class: "where" }), more: h("div", { class: "more" }) };
  parts = { scene, all, table, events, line, curve, status, marks };
  root.replaceChildren(live,
    h("div", { class: "status" }, status.now, status.where, status.more, views(scene)),
    h("div", { class: "stage" }, h("div", { class: "left" }, table.element, line.element), h("aside", { class: "side", "aria-label": "Auction and events" }, table.panel, events.element)),
    h("div", { class: "under" }, table.below ? [h("div", { class: "stack" }, curve.element, scoring(scene, money)), table.below] : [curve.element, scoring(scene, money)]));
  verdict(scene);
  if (had) root.querySelector(`input[name=view][value="${name}"]`)?.focus();
  go(asked() ?? cursor);
}

function verdict(scene) {
  const badge = document.getElementById("badge");
  badge.classList.toggle("wrong", Boolean(scene.problem));
  document.getElementById("verdict").replaceChildren(...(scene.problem ? ["Not true"] : [icon("verified"), "Verified"]));
  document.getElementById("checked").textContent = scene.problem || `The seed gives commitment and deal; ${scene.steps.length} decisions are legal; fingerprints, chain and result are right.`;
}

function jump(kinds, back) {
  const to = beside(parts.marks, kinds, cursor, back);
  if (to) go(to.at);
}

function turn(back) {
  const { turns, steps } = parts.scene;
  const to = back ? turns.findLast((one) => one.at < cursor) : turns.find((one) => one.at > cursor);
  go(to ? to.at : back ? 1 : steps.length + 1);
}

function nextView() {
  const names = ["full", "spectator", ...parts.scene.seats.map((_, index) => String(index))];
  show(names[(names.indexOf(view) + 1) % names.length]);
}

const help = h("dialog", { class: "panel help", "aria-label": "Keys" }, h("header", {}, h("h2", {}, "Keys")),
  h("dl", {}, KEYS.map(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)])),
  h("form", { method: "dialog" }, h("button", { class: "btn" }, "Close")));
document.body.append(help);

async function copyLink() {
  const link = `${location.origin}${location.pathname}#d=${cursor}`;
  try {
    await navigator.clipboard.writeText(link);
    live.textContent = "The link is copied";
  } catch {
    live.textContent = link;
  }
}

function pressed(event) {
  if (!parts || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const on = event.target;
  const isRange = on.type === "range";
  const isControl = on.closest?.("button, a, summary, input:not([type=range]), select, textarea");
  if (on.closest?.("input[type=search], input[type=text], select, textarea")) return;
  const last = parts.scene.steps.length + 1;
  const act = {
    ArrowRight: () => (event.shiftKey ? turn(false) : go(cursor + 1, { glide: true })),
    ArrowLeft: () => (event.shiftKey ? turn(true) : go(cursor - 1)),
    Home: () => go(1), End: () => go(last),
    a: () => jump(AUCTIONS, event.shiftKey), f: () => jump(["fault"], event.shiftKey),
    " ": () => parts.line.toggle(), v: nextView, l: copyLink, "?": () => help.showModal(),
    1: () => parts.line.faster(0), 2: () => parts.line.faster(1), 3: () => parts.line.faster(2), 4: () => parts.line.faster(3),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  if (event.key === " " && isControl) return;
  if (event.key.startsWith("Arrow") && (on.type === "radio" || (isRange && !event.shiftKey))) return;
  if ((event.key === "Home" || event.key === "End") && !isRange && on.closest?.(".log")) return;
  event.preventDefault();
  act();
}

document.addEventListener("keydown", pressed);
addEventListener("hashchange", () => { const at = asked(); if (parts && at !== null && at !== cursor) go(at); });
show(view).catch((error) => {
  const text = error instanceof Error && error.message ? error.message : "The replay cannot be shown.";
  root.replaceChildren(h("p", { class: "panel notice bad" }, text));
});
root.dataset.game = game;
