// Shipping's map. Ships that share a space stand in a block beside it, where the block covers least; a narrow window
// gets the map folded, west above east.

import { s } from "./dom.js";

const NARROW = matchMedia("(max-width: 620px)");
const HULL = 15;
const BAYS = 31;
const BAY = 16;
const GAP = 3;
const FOLD = 560; // where the narrow map is cut

// `at` gives the place of a space; `part` on which sheet of the map it lies; ships are drawn `ship` times their size.
const WIDE = { width: 1000, height: 600, ship: 1.15, font: 12, at: ({ x, y }) => ({ x, y: 42 + (y - 58) * 1.3 }), part: () => 0 };
const FOLDED = {
  width: 560, height: 1166, ship: 1.5, font: 16, part: ({ x }) => Number(x > FOLD),
  at: ({ x, y }) => (x > FOLD ? { x: 44 + (x - 580) * 1.2, y: 596 + (y - 58) * 1.3 } : { x: 30 + (x - 62) * 1.03, y: 72 + (y - 58) * 1.34 }),
};

const area = (one, other) => Math.max(0, Math.min(one.x + one.w, other.x + other.w) - Math.max(one.x, other.x)) * Math.max(0, Math.min(one.y + one.h, other.y + other.h) - Math.max(one.y, other.y));

export function map(fixed, seats, describe, redraw) {
  const goods = Object.fromEntries(fixed.goods.map((one) => [one.id, one]));
  const spaces = Object.fromEntries(fixed.spaces.map((one) => [one.id, one]));
  const loops = new Set(fixed.edges.filter(([, , kind]) => kind === "loop").flatMap(([from, to]) => [`${from} ${to}`, `${to} ${from}`]));
  const isLoop = (from, to) => loops.has(`${from} ${to}`);
  let shape = null;
  NARROW.addEventListener("change", redraw);

  // Everything that does not move, once for each shape of the window.
  function prepared(layout) {
    const places = Object.fromEntries(fixed.spaces.map((one) => [one.id, { ...layout.at(one), part: layout.part(one) }]));
    const height = layout.font * 1.3;
    const labels = fixed.spaces.filter((one) => one.port).map(({ id, name }) => {
      const { x, y } = places[id];
      const w = 0.56 * layout.font * name.length;
      const middle = Math.min(layout.width - w / 2 - 4, Math.max(w / 2 + 4, x));
      return { id, name, x: middle - w / 2, y: y - 12 - height, w, h: height, middle };
    });
    const fixtures = [
      ...labels.map((one) => ({ ...one, cost: 6 })),
      ...fixed.spaces.map(({ id, port }) => ({ x: places[id].x - 11, y: places[id].y - 11, w: 22, h: 22, cost: port ? 8 : 5, id })),
    ];
    const found = { layout, places, labels, fixtures };
    for (const [from, to] of fixed.edges) fixtures.push(...pointers(found, from, to).map(({ x, y, text, anchor }) => { const w = 0.42 * layout.font * text.length; return { x: anchor === "end" ? x - w : x, y: y - 12, w, h: 16, cost: 6 }; }));
    found.sea = s("g", {}, fixed.edges.map(([from, to, kind]) => s("g", { class: `way ${kind}` }, pieces(found, from, to, kind === "loop").map(([a, b]) => s("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y })), pointers(found, from, to).map(({ x, y, text, anchor }) => s("text", { class: "onward", x, y, "text-anchor": anchor }, text)))),
      fixed.spaces.filter((one) => !one.port).map(({ id, name }) => s("circle", { class: "space", cx: places[id].x, cy: places[id].y, r: 6 }, s("title", {}, name))));
    return found;
  }

  // An edge is one line, or leaves the map at one side and comes back at another.
  function pieces({ layout, places }, from, to, isLoop) {
    const [west, east] = spaces[from].x < spaces[to].x ? [places[from], places[to]] : [places[to], places[from]];
    if (isLoop) return [[west, { x: 0, y: west.y + 12 }], [east, { x: layout.width, y: east.y - 6 }]];
    if (west.part === east.part) return [[west, east]];
    return [[west, { x: layout.width, y: west.y }], [east, { x: 0, y: east.y }]];
  }

  // Where the map is folded, the ends of a cut edge say where it goes on.
  function pointers({ layout, places }, from, to) {
    if (places[from].part === places[to].part || isLoop(from, to)) return [];
    const [west, east] = spaces[from].x < spaces[to].x ? [from, to] : [to, from];
    return [{ x: layout.width - 4, y: places[west].y - 6, text: `${spaces[east].name} →`, anchor: "end" }, { x: 4, y: places[east].y - 6, text: `← ${spaces[west].name}`, anchor: "start" }];
  }

  function port({ places }, one, homes) {
    const { x, y } = places[one.id];
    const owner = homes[one.id];
    return s("g", {}, s("title", {}, `${one.name}: sells for $${one.bonus}M above the market: ${one.sells.map((id) => goods[id].name).join(", ")}${owner === undefined ? "" : `; home of ${seats[owner].name}`}`),
      s("rect", { class: `port ${owner === undefined ? "" : `home k${owner}`}`, x: x - 10, y: y - 10, width: 20, height: 20, rx: 4 }),
      one.good ? [s("rect", { class: `load g-${one.good}`, x: x - 8.5, y: y - 6.5, width: 17, height: 13, rx: 2 }), s("text", { class: `lt g-${one.good}`, x, y: y + 3.2 }, goods[one.good].short)] : null);
  }

  const length = (name) => BAYS + BAY * fixed.ships[name] + 8;

  function vessel({ number, name, ship, x, y, scale }) {
    const cargo = fixed.goods.flatMap(({ id }) => Array(ship.cargo[id] || 0).fill(id));
    const w = length(name);
    const where = spaces[ship.at].name;
    return s("g", { class: `vessel k${number} ${ship.moved ? "moved" : ""}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale})`, "data-ship": `${number}-${name}`, role: "img", "aria-label": `${name} of seat ${number} at ${where}: ${describe(ship.cargo)}` },
      s("title", {}, `${seats[number].name}, ${name}, ${where}: ${describe(ship.cargo)}${ship.moved ? "; has moved" : ""}`),
      s("path", { class: "body", d: `M2 0H${w - 7}L${w} ${HULL / 2} ${w - 7} ${HULL}H2Q0 ${HULL} 0 ${HULL - 2}V2Q0 0 2 0Z` }),
      s("text", { class: "who", x: 8, y: 11.3 }, String(number)), s("text", { class: "id", x: 22, y: 11 }, name),
      Array.from({ length: fixed.ships[name] }, (_, bay) => {
        const good = cargo[bay];
        const left = BAYS + BAY * bay;
        return [s("rect", { class: good ? `load g-${good}` : "bay", x: left, y: 2, width: BAY - 1.5, height: HULL - 4, rx: 1.5 }), good && s("text", { class: `lt g-${good}`, x: left + BAY / 2 - 0.8, y: 10.8 }, goods[good].short)];
      }));
  }

  // The block of a space's ships in one, two or three columns, and where it covers least.
  function settled(fleet, place, { layout }, taken) {
    const scale = layout.ship;
    const wide = Math.max(...fleet.map(({ name }) => length(name))) * scale + GAP;
    const high = HULL * scale + GAP;
    let best = null;
    for (const rows of new Set([1, 2, 3].map((columns) => Math.ceil(fleet.length / columns)))) {
      const columns = Math.ceil(fleet.length / rows);
      const w = columns * wide + GAP;
      const h = rows * high + GAP;
      for (const away of [13, 24, 40, 60, 84]) {
        const slant = 0.6 * away;
        for (const [x, y] of [
          [place.x + away, place.y - h / 2], [place.x + slant, place.y + slant], [place.x + slant, place.y - slant - h], [place.x - w / 2, place.y + away],
          [place.x - away - w, place.y - h / 2], [place.x - slant - w, place.y + slant], [place.x - slant - w, place.y - slant - h], [place.x - w / 2, place.y - away - h],
        ]) {
          const block = { x, y, w, h, rows, wide, high };
          const outside = w * h - area(block, { x: 2, y: 2, w: layout.width - 4, h: layout.height - 4 });
          const cost = 30 * outside + taken.reduce((sum, one) => sum + one.cost * area(block, one), 0) + 9 * away;
          if (!best || cost < best.cost) best = { ...block, cost };
        }
      }
    }
    return best;
  }

  function path({ places }, position, after, step) {
    if (!step?.path || !after) return null;
    const [, ship] = Object.entries(position.seats[step.seat].ships).find(([name, one]) => (after.position.seats[step.seat].ships[name]?.at ?? one.at) !== one.at) ?? [];
    if (!ship) return null;
    const stops = [ship.at, ...step.path];
    const lines = stops.slice(1).flatMap((to, index) => pieces({ layout: shape.layout, places }, stops[index], to, isLoop(stops[index], to)));
    return s("path", { class: "path", d: lines.map(([a, b]) => `M${a.x} ${a.y}L${b.x} ${b.y}`).join("") });
  }

  return function drawn(position, after, step) {
    const layout = NARROW.matches ? FOLDED : WIDE;
    if (shape?.layout !== layout) shape = prepared(layout);
    const homes = Object.fromEntries(position.seats.map((one, number) => [one.home, number]));
    const fleets = {};
    position.seats.forEach((own, number) => { for (const [name, ship] of Object.entries(own.ships)) (fleets[ship.at] ??= []).push({ number, name, ship }); });
    const taken = [...shape.fixtures];
    const blocks = [];
    for (const { id } of fixed.spaces) {
      if (!fleets[id]) continue;
      const block = settled(fleets[id], shape.places[id], shape, taken);
      taken.push({ ...block, cost: 14 });
      blocks.push({ ...block, fleet: fleets[id], place: shape.places[id] });
    }
    return s("svg", { class: "map", viewBox: `0 0 ${layout.width} ${layout.height}`, "font-size": layout.font },
      shape.sea, path(shape, position, after, step), blocks.map(tie),
      fixed.spaces.filter((one) => one.port).map((one) => port(shape, one, homes)), shape.labels.map((one) => s("text", { class: "nm", x: one.middle, y: one.y + one.h - 5 }, one.name)),
      blocks.map((one) => [one.fleet.length > 1 ? s("rect", { class: "block", x: one.x, y: one.y, width: one.w, height: one.h, rx: 4 }) : null,
        one.fleet.map((ship, index) => vessel({ ...ship, scale: layout.ship, x: one.x + GAP + Math.floor(index / one.rows) * one.wide, y: one.y + GAP + (index % one.rows) * one.high }))]));
  };
}

// A line from a space to the block of its ships.
function tie({ x, y, w, h, place }) {
  return s("line", { class: "tie", x1: place.x, y1: place.y, x2: Math.min(x + w - 4, Math.max(x + 4, place.x)), y2: Math.min(y + h - 4, Math.max(y + 4, place.y)) });
}
