// The final scoring, explained line by line.

import { dollars, h, minus, seat } from "./dom.js";

export function scoring(scene, money) {
  if (!scene.scoring) return null;
  const amount = (value) => (money ? dollars(value) : minus(value));
  const order = scene.seats.map((_, index) => index).sort((one, other) => scene.ranks[one] - scene.ranks[other] || one - other);
  return h("section", { class: "panel", "aria-label": "Final scoring" },
    h("header", {}, h("h2", {}, "Final scoring"), h("span", { class: "s dim" }, scene.end)),
    h("div", { class: "scores" }, order.map((index) => h("details", { open: scene.ranks[index] === 1 },
      h("summary", {}, h("span", { class: "place" }, String(scene.ranks[index])), seat(index), h("b", { class: "who" }, scene.seats[index].name),
        scene.retired.includes(index) && h("span", { class: "tag bad" }, "retired"), h("b", { class: "tot num" }, amount(scene.totals[index]))),
      h("table", { class: "tbl" }, h("tbody", {},
        scene.scoring.map((line) => h("tr", {}, h("th", { scope: "row" }, line.what), h("td", { class: "dim" }, line.reasons[index]), h("td", { class: "n" }, amount(line.amounts[index])))),
        h("tr", { class: "sum" }, h("th", { scope: "row" }, "Total"), h("td"), h("td", { class: "n" }, amount(scene.totals[index])))))))));
}
