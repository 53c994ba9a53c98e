// The line of all decisions: rounds, marks above and below, and a cursor that can be moved.

import { h, icon } from "./dom.js";

const BELOW = { fault: "f", seizure: "z" };

export function line(go) {
  const rounds = h("div", { class: "rounds" });
  const done = h("div", { class: "done" });
  const gone = h("div", { class: "gone", title: "not kept on this page" });
  const labels = h("div", { "aria-hidden": "true" });
  const cursor = h("div", { class: "cursor" });
  const flags = h("div", {});
  const input = h("input", { type: "range", min: 1, max: 1, value: 1, "aria-label": "Decision", oninput: () => go(Number(input.value)) });
  const element = h("div", { class: "time" }, rounds, gone, done, labels, cursor, input, flags);
  let told = { last: 1, bands: [], marks: [], from: 1 };
  let here = 1;

  const share = (at) => (100 * (at - 1)) / Math.max(1, told.last - 1);
  const percent = (value) => `${value}%`;

  function lettered() {
    const width = element.clientWidth;
    let free = 0;
    labels.replaceChildren(...told.bands.flatMap((band) => {
      const at = (width * share(band.at)) / 100;
      const text = band.at === 1 && band.short.length < 4 ? band.label : band.short;
      const wide = 8 + 6.2 * text.length;
      if (!text || at < free || at + wide > width) return [];
      free = at + wide;
      return [h("span", { class: "lab", style: { left: `${at}px` } }, text)];
    }));
  }
  new ResizeObserver(lettered).observe(element);

  // `last` is the place after the last decision, `from` the first that can be shown.
  function lay(given) {
    told = given;
    input.max = told.last;
    rounds.replaceChildren(...told.bands.map((band, index) => h("i", { style: { width: percent(share(told.bands[index + 1]?.at ?? told.last) - share(band.at)) } })));
    gone.style.width = percent(share(told.from));
    flags.replaceChildren(...told.marks.map((mark) => h("button", {
      class: `mk ${BELOW[mark.kind] ?? "a"} ${mark.kind}`, type: "button", tabindex: "-1", title: `${mark.at}: ${mark.label}`, "data-at": mark.at,
      "aria-label": `Decision ${mark.at}: ${mark.label}`, style: { left: percent(share(mark.at)) }, onclick: () => go(mark.at),
    }, icon(mark.kind))));
    lettered();
    show(here);
  }

  function show(at) {
    here = at;
    input.value = at;
    input.setAttribute("aria-valuetext", at === told.last ? "the end" : `decision ${at}`);
    done.style.width = percent(share(at));
    cursor.style.left = percent(share(at));
    for (const flag of flags.children) flag.classList.toggle("cur", Number(flag.dataset.at) === at);
  }

  return { element, lay, show };
}

const KINDS = [["auction", "auction"], ["tie", "auction with a tie"], ["order", "Order done"], ["news", "News"], ["fault", "fault"], ["seizure", "seizure"]];

// What the marks of the line mean, those that there are.
export const legend = (marks) => KINDS.filter(([kind]) => marks.some((mark) => mark.kind === kind)).map(([kind, words]) => h("span", { class: `lg ${kind === "fault" ? "bad" : ""} ${kind}` }, icon(kind), words));

// The marks of faults, retired seats left out: they are no further faults.
export const faultMarks = (faults, seats) => faults.filter((one) => one.reason !== "retired").map((one) => ({ at: one.at, kind: "fault", label: `${seats[one.seat].name}, ${one.reason}, the default was played` }));

// The nearest mark of some kinds on either side of a place.
export const beside = (marks, kinds, at, back) => {
  const found = marks.filter((mark) => kinds.includes(mark.kind));
  return back ? found.findLast((mark) => mark.at < at) : found.find((mark) => mark.at > at);
};
export const AUCTIONS = ["auction", "tie", "order"];
