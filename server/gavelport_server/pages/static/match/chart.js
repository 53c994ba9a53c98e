// Scores over time: what each seat would score if the match ended there. A click leads to that decision.

import { h, minus, s, seat } from "./dom.js";

const DASHES = ["", "6 3", "2 2", "8 3 2 3", "4 2"];

export function chart(scene, go, money) {
  const rows = scene.chart;
  const last = scene.steps.length + 1;
  const unit = money ? "$" : "";
  const amount = (value) => (value < 0 ? `−${unit}${-value}` : `${unit}${value}`);
  const header = h("header", {}, h("h2", {}, money ? "Money over time" : "Points over time"), h("span", { class: "s dim" }, "score if the match had ended then"));
  const panel = h("section", { class: "panel", "aria-label": header.firstChild.textContent }, header);
  const seats = scene.seats.map((_, index) => index).filter((index) => rows.filter((row) => row[index + 1] !== null).length > 1);
  if (!seats.length || rows.length < 2) {
    panel.append(h("p", { class: "pad s ink2" }, "Hidden in this view: it needs what only the seats themselves know."));
    return { element: panel, show() {} };
  }
  const values = rows.flatMap((row) => row.slice(1)).filter((value) => value !== null);
  const step = [5, 10, 20, 50, 100, 200, 500].find((one) => (Math.max(...values) - Math.min(...values)) / one <= 6) ?? 1000;
  const low = Math.floor(Math.min(0, ...values) / step) * step;
  const high = Math.ceil(Math.max(...values) / step) * step || step;
  const bottom = money ? low : Math.floor(Math.min(...values) / step) * step;
  const x = (at) => (1000 * at) / Math.max(1, last - 1);
  const y = (value) => 100 - (100 * (value - bottom)) / (high - bottom || 1);
  const drawing = s("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true" });
  const box = h("div", { class: "chart" }, drawing);
  for (let value = bottom; value <= high; value += step) {
    drawing.append(s("line", { class: value === 0 ? "gl zero" : "gl", x1: 0, x2: 1000, y1: y(value), y2: y(value) }));
    box.append(h("span", { class: "yl", style: { top: `${y(value)}%` } }, amount(value)));
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const at = Math.round(share * (last - 1));
    box.append(h("span", { class: "xl", style: { left: `${100 * share}%` } }, share ? String(at) : "decision 0"));
  }
  const here = s("line", { class: "at", y1: 0, y2: 100 });
  drawing.append(here);
  const ends = [];
  for (const index of seats) {
    const points = rows.filter((row) => row[index + 1] !== null).map((row) => `${x(row[0]).toFixed(1)},${y(row[index + 1]).toFixed(2)}`);
    drawing.append(s("polyline", { class: `ln k${index}`, points: points.join(" "), "stroke-dasharray": DASHES[index] || null }));
    const final = rows.findLast((row) => row[index + 1] !== null)[index + 1];
    ends.push({ index, final, top: y(final) });
  }
  ends.sort((one, other) => one.top - other.top);
  const gap = 8.5;
  ends.forEach((one, index) => { if (index) one.top = Math.max(one.top, ends[index - 1].top + gap); });
  const over = ends.length ? Math.max(0, ends[ends.length - 1].top - 100) : 0;
  for (const one of ends) box.append(h("span", { class: "el", style: { top: `${one.top - over}%` } }, seat(one.index), h("span", { class: "nm" }, scene.seats[one.index].name), h("b", {}, amount(one.final))));
  box.addEventListener("click", (event) => {
    const frame = box.getBoundingClientRect();
    go(Math.min(last, Math.max(1, Math.round(((event.clientX - frame.left) / frame.width) * (last - 1)) + 1)));
  });
  const words = seats.map((index) => `${scene.seats[index].name} ends with ${minus(rows.findLast((row) => row[index + 1] !== null)[index + 1])}`).join(", ");
  panel.append(h("p", { class: "vh" }, `Scores over time: ${words}.`), box);
  return {
    element: panel,
    show(at) {
      here.setAttribute("x1", x(at - 1));
      here.setAttribute("x2", x(at - 1));
    },
  };
}
