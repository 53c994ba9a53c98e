// The transport: buttons, speeds, and the line of all decisions with its marks.

import { h, icon } from "./dom.js";

const SPEEDS = [1, 2, 5, 20];
const PACE_MS = 900;

export function timeline(scene, marks, go, position) {
  const last = scene.steps.length + 1;
  const share = (at) => `${(100 * (at - 1)) / Math.max(1, last - 1)}%`;
  let speed = 0;
  let timer = null;

  const button = (name, label, act) => h("button", { class: "btn", type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
  const play = button("play", "Play", toggle);
  const pace = h("button", { class: "btn w", type: "button", "aria-label": "Speed", onclick: () => faster((speed + 1) % SPEEDS.length) }, "1×");
  const input = h("input", { type: "range", min: 1, max: last, value: 1, "aria-label": "Decision", oninput: () => go(Number(input.value)) });
  const done = h("div", { class: "done" });
  const cursor = h("div", { class: "cursor" });
  const place = h("div", { class: "pos", "aria-live": "off" });
  const line = h("div", { class: "time" });

  line.append(h("div", { class: "rounds" }, scene.bands.map((band, index) => {
    const end = scene.bands[index + 1]?.at ?? last;
    return h("i", { style: { width: `${(100 * (end - band.at)) / Math.max(1, last - 1)}%` } });
  })), done);
  const labels = h("div", { "aria-hidden": "true" });
  line.append(labels);
  new ResizeObserver(() => {
    const width = line.clientWidth;
    let free = 0;
    labels.replaceChildren(...scene.bands.flatMap((band) => {
      const at = (width * (band.at - 1)) / Math.max(1, last - 1);
      const text = band.at === 1 && band.short.length < 4 ? band.label : band.short;
      const wide = 8 + 6.2 * text.length;
      if (!text || at < free || at + wide > width) return [];
      free = at + wide;
      return [h("span", { class: "lab", style: { left: `${at}px` } }, text)];
    }));
  }).observe(line);
  const flags = marks.map((mark) => {
    const below = mark.kind === "fault" || mark.kind === "seizure";
    const element = h("button", {
      class: `mk ${below ? (mark.kind === "fault" ? "f" : "z") : "a"} ${mark.kind}`, type: "button", tabindex: "-1", title: `${mark.at}: ${mark.label}`,
      "aria-label": `Decision ${mark.at}: ${mark.label}`, style: { left: share(mark.at) }, onclick: () => go(mark.at),
    }, icon(mark.kind));
    line.append(element);
    return { mark, element };
  });
  line.append(cursor, input);

  function stop() {
    clearInterval(timer);
    timer = null;
    play.replaceChildren(icon("play"));
    play.setAttribute("aria-label", "Play");
    play.title = "Play";
  }

  function start() {
    if (position() >= last) go(1);
    play.replaceChildren(icon("pause"));
    play.setAttribute("aria-label", "Pause");
    play.title = "Pause";
    timer = setInterval(() => {
      if (position() >= last) stop();
      else go(position() + 1, { glide: true });
    }, PACE_MS / SPEEDS[speed]);
  }

  function toggle() { if (timer) stop(); else start(); }

  function faster(to) {
    speed = Math.min(SPEEDS.length - 1, Math.max(0, to));
    pace.textContent = `${SPEEDS[speed]}×`;
    if (timer) { clearInterval(timer); timer = null; start(); }
  }

  function show(at) {
    input.value = at;
    input.setAttribute("aria-valuetext", at === last ? "the end" : `decision ${at}`);
    done.style.width = share(at);
    cursor.style.left = share(at);
    place.replaceChildren(h("b", {}, at === last ? "end" : String(at)), ` / ${last - 1}`);
    for (const { mark, element } of flags) element.classList.toggle("cur", mark.at === at);
  }

  const keys = [["←", "→"], "decision", ["Shift ←", "→"], "turn", ["A"], "auction", ["F"], "fault", ["Space"], "play", ["V"], "view", ["L"], "copy link", ["?"], "all keys"];
  const help = h("div", { class: "keys", "aria-hidden": "true" });
  for (let index = 0; index < keys.length; index += 2) help.append(h("span", {}, keys[index].map((key) => [h("kbd", {}, key), " "]), keys[index + 1]));
  const kinds = new Set(marks.map((mark) => mark.kind));
  const legend = [["auction", "auction"], ["tie", "auction with a tie"], ["order", "Order done"], ["news", "News"], ["fault", "fault"], ["seizure", "seizure"]].filter(([kind]) => kinds.has(kind));
  help.append(h("span", { class: "r" }, legend.map(([kind, words]) => h("span", { class: `lg ${kind === "fault" ? "bad" : ""} ${kind}` }, icon(kind), words))));

  const element = h("div", { class: "transport", role: "group", "aria-label": "Steps through the match" },
    h("div", { class: "ctl" },
      button("first", "First decision", () => go(1)), button("previous", "Previous decision", () => go(position() - 1)), play,
      button("next", "Next decision", () => go(position() + 1, { glide: true })), button("last", "The end", () => go(last)), pace),
    line, place, help);
  return { element, show, toggle, stop, faster, isPlaying: () => timer !== null };
}
