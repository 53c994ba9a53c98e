// A running match: the same table as the replay viewer's, with what became public, as it becomes so.
// The page stays with the present until somebody steps back; then it says how much there is to catch up with.

import { h, icon, reduced, seat } from "./dom.js";
import { applied } from "./frames.js";
import { AUCTIONS, beside, faultMarks, legend, line as lineOf } from "./line.js";
import { watch } from "./stream.js";

const KEPT = 400;
const LINES = 150;
const LOOK_MS = 4000;
const ASK_MS = 1000;
const ASK_TIMES = 120;
const root = document.getElementById("viewer");
const drawing = import(root.dataset.table);
const address = `/matches/${encodeURIComponent(root.dataset.match)}`;

let create = null;
let scene = null;
let table = null;
let frames = [];
let first = 0; // steps that are not kept any more; frames[i] stands after step number first + i
let before = 0; // decisions before that
let cursor = 0;
let looked = null; // a decision of before that, whose auction is looked at
let marks = [];
let ended = null;

const said = h("p", { class: "vh", "aria-live": "polite" });
const now = h("div", { class: "now" });
const where = h("div", { class: "where" });
const more = h("div", { class: "more" });
const list = h("div", { class: "log", tabindex: "0", role: "region", "aria-label": "What has happened, the latest last" });
const over = h("div", {});
const button = (name, label, act) => h("button", { class: "btn", type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
const present = h("button", { class: "btn present", type: "button", onclick: () => go(head()) });
const place = h("div", { class: "pos", "aria-live": "off" });
const line = lineOf(jump);
const kinds = h("span", { class: "r" });
const under = h("div", { class: "under one" });
const transport = h("div", { class: "transport livebar", role: "group", "aria-label": "Steps through the match" },
  h("div", { class: "ctl" }, button("first", "The earliest that is here", () => go(first)), button("previous", "One step back", () => go(cursor - 1)), button("next", "One step on", () => go(cursor + 1)), present),
  line.element, place, h("div", { class: "keys", "aria-hidden": "true" }, h("span", {}, h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " step"), h("span", {}, h("kbd", {}, "A"), " auction"), h("span", {}, h("kbd", {}, "F"), " fault"), h("span", {}, h("kbd", {}, "End"), " the present"), kinds));

const head = () => first + scene.steps.length;
const stepAfter = (at) => scene.steps[at - first];
const decisionsAt = (at) => (at === first ? before : stepAfter(at - 1).decisions);

function begin(told) {
  const isAgain = scene !== null;
  const looksAt = isAgain && cursor !== head() ? decisionsAt(cursor) : Infinity;
  scene = told;
  first = told.first;
  before = told.before;
  frames = [{ position: told.start, now: told.start_now }];
  for (const step of told.steps) grow(step);
  cursor = first;
  while (cursor < head() && decisionsAt(cursor) < looksAt) cursor += 1;
  list.replaceChildren();
  for (const step of told.steps) enter(step);
  build();
  if (!isAgain) root.replaceChildren(said, h("div", { class: "status" }, now, where, more), h("div", { class: "stage" }, h("div", { class: "left" }, over, table.element, transport), h("aside", { class: "side", "aria-label": "Auction and events" }, table.panel, h("section", { class: "panel events", "aria-label": "Events" }, h("header", {}, h("h2", {}, "Events"), h("span", { class: "s dim" }, "since you joined")), list))), under);
  lay();
  draw(false);
}

function lay() {
  marks = [...scene.marks, ...faultMarks(scene.faults, scene.seats)].sort((one, other) => one.at - other.at);
  kinds.replaceChildren(...legend(marks));
  line.lay({ last: scene.decisions + 1, bands: scene.bands, marks, from: before + 1 });
}

function build() {
  const old = table;
  table = create(scene, { go: jump, view: "spectator" });
  under.replaceChildren(...[table.below].filter(Boolean));
  old?.element.replaceWith(table.element);
  old?.panel?.replaceWith(table.panel);
}

function grow(step) {
  const { position, now: worth } = frames[frames.length - 1];
  frames.push({ position: applied(position, step.to), now: applied(worth, step.now) });
}

function take(steps) {
  const follows = cursor === head() && looked === null;
  let isListed = false;
  for (const step of steps) {
    grow(step);
    scene.steps.push(step);
    scene.asked = step.asked;
    scene.decisions = step.decisions;
    for (const name of ["marks", "faults", "bands"]) scene[name].push(...(step[name] ?? []));
    for (const [name, at, one] of step.more ?? []) {
      scene[name][at] = one;
      isListed = true;
    }
    enter(step);
  }
  while (scene.steps.length > KEPT) {
    before = scene.steps.shift().decisions;
    frames.shift();
    first += 1;
  }
  if (isListed) table.list?.();
  lay();
  const last = steps[steps.length - 1];
  if (!follows) {
    cursor = Math.max(cursor, first);
    draw(false);
    return;
  }
  cursor = head();
  draw(steps.length === 1 && !reduced());
  said.textContent = `Decision ${last.decisions}: ${last.seat === null ? "" : scene.seats[last.seat].name} ${last.text}`;
}

function enter(step) {
  const isNear = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const own = step.seat === null ? null : step.money?.[step.seat];
  const amount = own ? `${own > 0 ? "+" : "−"}$${Math.abs(own)}${scene.fixed.suffix ?? ""}` : "";
  const link = h("a", { href: `#d=${step.decisions}` }, h("span", { class: "d" }, String(step.decisions)),
    step.seat === null ? h("span", { class: "many", "aria-hidden": "true" }, icon("auction")) : seat(step.seat),
    h("span", {}, step.text, (step.faults ?? []).map((one) => h("em", { class: "bad" }, ` ${scene.seats[one.seat].name}: ${one.reason === "retired" ? "retired" : `fault, ${one.reason}`}; the default was played.`)),
      step.events ? h("small", {}, step.events.join(" · ")) : null), h("span", { class: "m" }, amount));
  link.addEventListener("click", (event) => { event.preventDefault(); go(step.number - 1); });
  list.append(link);
  if (step.begins) {
    list.append(h("h3", {}, h("span", {}, `Turn ${step.begins.turn} · ${scene.seats[step.begins.seat].name}`), h("span", {}, step.asked.band)));
    if (step.begins.events.length) list.append(h("p", { class: "also" }, step.begins.events.join(" · ")));
  }
  while (list.childElementCount > LINES) list.firstElementChild.remove();
  if (isNear) list.scrollTop = list.scrollHeight;
}

function go(to) {
  cursor = Math.min(head(), Math.max(first, to));
  looked = null;
  draw(false);
}

// To what a decision brought. Of what was before this page came there are its auctions and faults, and no tables.
function jump(at) {
  let to = first;
  while (to < head() && decisionsAt(to + 1) < at) to += 1;
  go(to);
  if (at > before) return;
  looked = at;
  draw(false);
}

const here = () => looked ?? decisionsAt(cursor) + 1;

function leap(wanted, back) {
  const to = beside(marks, wanted, here(), back);
  if (to) jump(to.at);
}

function draw(glide) {
  const isPresent = cursor === head();
  const step = stepAfter(cursor);
  const frame = frames[cursor - first];
  const asked = isPresent ? scene.asked : cursor > first ? stepAfter(cursor - 1).asked : { ...scene.asked, seats: step.seat === null ? [] : [step.seat], phase: step.phase, prompt: step.prompt };
  const acting = ended ? null : { ...step, seat: asked.seats.length === 1 ? asked.seats[0] : null, phase: asked.phase };
  table.draw({ at: decisionsAt(cursor) + 1, frame, after: step ? frames[cursor - first + 1] : null, step: isPresent && !asked.seats.length ? null : acting, told: here(), glide });
  line.show(here());
  const names = asked.seats.map((number) => scene.seats[number].name);
  const many = asked.seats.length > 1;
  now.replaceChildren(...(ended && isPresent ? [h("span", {}, ended.void ? "The match is void" : `The end: ${ended.end}`)]
    : [...asked.seats.map((number) => seat(number)), h("span", {}, many ? `${names.join(", ")}: sealed` : names.length ? `${names[0]} ${asked.prompt}` : "")]));
  const decisions = decisionsAt(cursor);
  where.replaceChildren(h("span", {}, asked.band[0].toUpperCase() + asked.band.slice(1)), ` · turn ${asked.turn} · decision `, h("b", {}, String(decisions)), looked === null ? "" : `; the table of decision ${looked} is not kept here`);
  more.replaceChildren(...(ended ? [] : table.status?.({ frame, step: { phase: asked.phase } }) ?? []));
  const behind = head() - cursor;
  present.textContent = behind ? `${behind} new` : ended ? "End" : "Live";
  present.title = behind ? "To the present" : "At the present";
  present.classList.toggle("on", behind === 0);
  place.replaceChildren(h("b", {}, String(decisions)), " decisions");
}

async function finish(told, connection) {
  ended = told;
  connection.close("over");
  if (scene) draw(false);
  if (told.void) {
    over.replaceChildren(h("p", { class: "panel notice", role: "status" }, "The match came to nothing, and counts for nobody."));
    return;
  }
  const order = scene.seats.map((_, index) => index).sort((one, other) => told.ranks[one] - told.ranks[other] || one - other);
  const unit = scene.unit === "money" ? "$" : "";
  const link = h("a", { class: "btn", href: `${address}#d=${told.decisions + 1}` }, "To the replay");
  over.replaceChildren(h("section", { class: "panel result", role: "status" }, h("header", {}, h("h2", {}, "The match is over"), h("span", { class: "s dim" }, told.end)),
    h("ol", { class: "final" }, order.map((index) => h("li", {}, h("span", { class: "place" }, String(told.ranks[index])), seat(index), h("span", { class: "nm" }, scene.seats[index].name), h("b", { class: "num" }, told.totals[index] < 0 ? `−${unit}${-told.totals[index]}` : `${unit}${told.totals[index]}`)))),
    h("p", { class: "s ink2" }, link, " Its replay shows everything: cash, cards, and what the lots were worth. This page turns into it by itself.")));
  await new Promise((done) => { setTimeout(done, LOOK_MS); });
  for (let asked = 0; asked < ASK_TIMES; asked += 1) {
    const answer = await fetch(`${address}/scene.json`, { method: "HEAD" }).catch(() => null);
    if (answer?.ok) {
      if (cursor !== head()) return; // somebody is looking at something
      location.hash = `#d=${told.decisions + 1}`;
      location.reload();
      return;
    }
    await new Promise((done) => { setTimeout(done, ASK_MS); });
  }
}

function pressed(event) {
  if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
  const isRange = event.target.type === "range";
  if (event.target.closest?.("input:not([type=range]), select, textarea")) return;
  const act = {
    ArrowLeft: () => go(cursor - 1), ArrowRight: () => go(cursor + 1), Home: () => go(first), End: () => go(head()),
    a: () => leap(AUCTIONS, event.shiftKey), f: () => leap(["fault"], event.shiftKey),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (event.key.startsWith("Arrow") && (isRange || event.shiftKey)) return;
  if (!act || ((event.key === "Home" || event.key === "End") && event.target.closest?.(".log"))) return;
  event.preventDefault();
  act();
}

document.addEventListener("keydown", pressed);
drawing.then((module) => {
  create = module.create;
  const connection = watch(root.dataset.stream, document.getElementById("state"), {
    scene: (text) => begin(JSON.parse(text)),
    steps: (text) => take(JSON.parse(text)),
    over: (text) => finish(JSON.parse(text), connection),
  });
}).catch(() => { root.replaceChildren(h("p", { class: "panel notice bad" }, "The table cannot be shown.")); });
