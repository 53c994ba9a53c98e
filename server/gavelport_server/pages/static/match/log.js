// The event log: a line a decision in words, sealed answers of one round as one line, what lies ahead in grey.

import { h, icon, seat, signedDollars } from "./dom.js";

export function log(scene, go) {
  const names = scene.seats.map((one) => one.name);
  const bands = scene.bands;
  const bandOf = (at) => bands.filter((one) => one.at <= at).at(-1)?.label ?? "";
  const entries = [];
  const list = h("div", { class: "log", tabindex: "0", role: "region", "aria-label": "All decisions in words" });
  let turn = 0;
  let section = null; // the lines of one band: only those in sight are laid out, see match.css
  let band = null;

  function heading(at) {
    while (turn < scene.turns.length && scene.turns[turn].at <= at) {
      const one = scene.turns[turn];
      if (!section || band !== bandOf(one.at)) {
        band = bandOf(one.at);
        section = h("div", { class: "band" });
        list.append(section);
      }
      const title = h("h3", {}, h("span", {}, `Turn ${one.turn} · ${names[one.seat]}`), h("span", {}, bandOf(one.at)));
      section.append(title);
      entries.push({ at: one.at, to: one.at, element: title });
      if (one.events.length) {
        const said = h("p", { class: "also" }, one.events.join(" · "));
        section.append(said);
        entries.push({ at: one.at, to: one.at, element: said });
      }
      turn += 1;
    }
  }

  const steps = scene.steps;
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index];
    const first = index + 1;
    heading(first);
    let last = index;
    if (step.sealed) while (last + 1 < steps.length && steps[last + 1].sealed && steps[last + 1].phase === step.phase && steps[last + 1].turn === step.turn) last += 1;
    const group = steps.slice(index, last + 1);
    const many = step.sealed;
    const text = many ? group.map((one) => `${names[one.seat]} ${one.text}`).join(", ") : step.text;
    const owner = scene.turns.filter((one) => one.at <= first).at(-1)?.seat;
    const own = step.money?.[step.seat];
    const line = h("a", { href: `#d=${first}` },
      h("span", { class: "d" }, String(first)),
      many ? h("span", { class: "many", "aria-hidden": "true" }, icon("auction")) : seat(step.seat),
      h("span", {}, many ? `Sealed: ${text}` : step.seat === owner ? text : `${names[step.seat]} ${text}`,
        group.map((one) => one.fault && h("em", { class: "bad" }, ` ${names[one.seat]}: ${one.fault === "retired" ? "retired" : `fault, ${one.fault}`}; the default was played.`)),
        group.map((one) => one.events && h("small", {}, one.events.join(" · ")))),
      h("span", { class: "m" }, own && !many ? signedDollars(own) + (scene.fixed.suffix ?? "") : ""));
    line.addEventListener("click", (event) => { event.preventDefault(); go(first); });
    (section ?? list).append(line);
    entries.push({ at: first, to: last + 1, element: line, isLine: true });
    index = last;
  }
  if (scene.end) {
    const end = h("a", { href: `#d=${steps.length + 1}` }, h("span", { class: "d" }, "end"), h("span", { class: "many" }), h("b", {}, `The end: ${scene.end}.`), h("span"));
    end.addEventListener("click", (event) => { event.preventDefault(); go(steps.length + 1); });
    (section ?? list).append(end);
    entries.push({ at: steps.length + 1, to: steps.length + 1, element: end, isLine: true });
  }

  let shown = null;
  function show(at) {
    for (const one of entries) {
      if (one.at > at === one.isAfter) continue;
      one.isAfter = one.at > at;
      one.element.classList.toggle("after", one.isAfter);
    }
    const entry = entries.findLast((one) => one.isLine && one.at <= at);
    shown?.element.removeAttribute("aria-current");
    entry?.element.setAttribute("aria-current", "true");
    shown = entry;
    if (entry) {
      const box = entry.element.parentElement;
      for (const one of list.querySelectorAll(".near")) one.classList.remove("near");
      for (const one of [box.previousElementSibling, box, box.nextElementSibling]) if (box !== list) one?.classList.add("near"); // their sizes count now
      const top = entry.element.offsetTop + (box === list ? 0 : box.offsetTop);
      if (top < list.scrollTop + 60 || top > list.scrollTop + list.clientHeight - 120) list.scrollTop = top - list.clientHeight / 3;
    }
  }

  const element = h("section", { class: "panel events", "aria-label": "Events" },
    h("header", {}, h("h2", {}, "Events"), h("span", { class: "r s dim" }, `${steps.length} decisions`)), list);
  return { element, show };
}
