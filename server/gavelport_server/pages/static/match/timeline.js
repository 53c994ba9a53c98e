// The transport of a replay: buttons, speeds, and the line of all decisions.

import { h, icon } from "./dom.js";
import { AUCTIONS, legend, line as lineOf } from "./line.js";

const SPEEDS = [1, 2, 5, 20];
const PACE_MS = 900;

export function timeline(scene, marks, { go, turn, jump }, position) {
  const last = scene.steps.length + 1;
  let speed = 0;
  let timer = null;

  const button = (name, label, act, more = "") => h("button", { class: `btn ${more}`, type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
  const play = button("play", "Play", toggle);
  const pace = h("button", { class: "btn w", type: "button", "aria-label": "Speed", onclick: () => faster((speed + 1) % SPEEDS.length) }, "1×");
  const place = h("div", { class: "pos", "aria-live": "off" });
  const line = lineOf(go);
  line.lay({ last, bands: scene.bands, marks, from: 1 });

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
    line.show(at);
    place.replaceChildren(h("b", {}, at === last ? "end" : String(at)), h("span", {}, ` / ${last - 1}`));
  }

  const has = (kinds) => marks.some((mark) => kinds.includes(mark.kind));
  const keys = [["←", "→"], "decision", ["Shift ←", "→"], "turn", ["A"], has(["order"]) ? "Order" : "auction", ["F"], "fault", ["Space"], "play", ["V"], "view", ["L"], "copy link", ["?"], "all keys"];
  const help = h("div", { class: "keys", "aria-hidden": "true" });
  for (let index = 0; index < keys.length; index += 2) help.append(h("span", {}, keys[index].map((key) => [h("kbd", {}, key), " "]), keys[index + 1]));
  help.append(h("span", { class: "r" }, legend(marks)));

  const element = h("div", { class: "transport", role: "group", "aria-label": "Steps through the match" },
    h("div", { class: "ctl" },
      button("first", "First decision", () => go(1), "far"), button("back", "Previous turn", () => turn(true)), button("previous", "Previous decision", () => go(position() - 1)), play,
      button("next", "Next decision", () => go(position() + 1, { glide: true })), button("on", "Next turn", () => turn(false)), button("last", "The end", () => go(last), "far"),
      has(AUCTIONS) ? button("auction", has(["order"]) ? "Next Order done" : "Next auction", () => jump(AUCTIONS, false), "jump") : null,
      has(["fault"]) ? button("fault", "Next fault", () => jump(["fault"], false), "jump far bad") : null, pace),
    line.element, place, help);
  return { element, show, toggle, stop, faster, isPlaying: () => timer !== null };
}
