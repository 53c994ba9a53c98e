// Shipping's table: the map with its ships, the Terminal's rows, Orders, and a board for each company.

import { h, s, seat } from "./dom.js";

const millions = (number) => (number < 0 ? `−$${-number}M` : `$${number}M`);
const signed = (number) => (number < 0 ? millions(number) : `+${millions(number)}`);

export function create(scene) {
  const { fixed, seats } = scene;
  const goods = Object.fromEntries(fixed.goods.map((one) => [one.id, one]));
  const spaces = Object.fromEntries(fixed.spaces.map((one) => [one.id, one]));
  const element = h("div", { class: "shipping" });
  const token = (id) => h("span", { class: `good g-${id}`, title: goods[id].name }, goods[id].short);
  const cargoOf = (cargo) => fixed.goods.flatMap(({ id }) => Array(cargo[id] || 0).fill(id));
  const describe = (cargo) => fixed.goods.filter(({ id }) => cargo[id]).map(({ id, name }) => `${cargo[id]} ${name}`).join(", ") || "empty";

  function way([from, to, kind]) {
    const a = spaces[from];
    const b = spaces[to];
    if (kind !== "loop") return [s("line", { class: `way ${kind}`, x1: a.x, y1: a.y, x2: b.x, y2: b.y })];
    const [left, right] = a.x < b.x ? [a, b] : [b, a];
    return [s("line", { class: "way loop", x1: left.x, y1: left.y, x2: 0, y2: left.y + 12 }), s("line", { class: "way loop", x1: right.x, y1: right.y, x2: 1000, y2: right.y - 6 })];
  }

  function port(one, homes) {
    const owner = homes[one.id];
    return s("g", {}, s("title", {}, `${one.name}: sells for $${one.bonus}M above the market: ${one.sells.map((id) => goods[id].name).join(", ")}${owner === undefined ? "" : `; home of ${seats[owner].name}`}`),
      s("rect", { class: `port ${owner === undefined ? "" : `home k${owner}`}`, x: one.x - 9, y: one.y - 9, width: 18, height: 18, rx: 4 }),
      one.good ? [s("rect", { class: `load g-${one.good}`, x: one.x - 8, y: one.y - 6, width: 16, height: 12, rx: 2 }), s("text", { class: `lt g-${one.good}`, x: one.x, y: one.y + 3 }, goods[one.good].short)] : null,
      s("text", { class: "nm", x: one.x, y: one.y - 13 }, one.name));
  }

  const sea = s("g", {}, fixed.edges.map(way), fixed.spaces.filter((one) => !one.port).map((one) => s("circle", { class: "space", cx: one.x, cy: one.y, r: 6 }, s("title", {}, one.name))));

  function vessel(number, name, ship, at, place) {
    const space = spaces[at];
    const cargo = cargoOf(ship.cargo);
    const large = name.startsWith("L");
    const width = large ? 44 : 30;
    const column = place % 2;
    const x = space.x + 13 + column * 46;
    const y = space.y - 7 + Math.floor(place / 2) * 17;
    return s("g", { class: `vessel k${number} ${ship.moved ? "moved" : ""}`, transform: `translate(${Math.min(x, 998 - width)} ${y})`, "data-ship": `${number}-${name}`, role: "img", "aria-label": `${name} of seat ${number} at ${space.name}: ${describe(ship.cargo)}` },
      s("title", {}, `${seats[number].name}, ${name}: ${describe(ship.cargo)}${ship.moved ? "; has moved" : ""}`),
      s("path", { class: "body", d: `M2 0H${width - 7}L${width} 7.500 ${width - 7} 15H2Q0 15 0 13V2Q0 0 2 0Z` }), s("text", { x: 7, y: 11 }, String(number)),
      cargo.map((id, index) => [s("rect", { class: `load g-${id}`, x: 13 + index * 13.5, y: 3, width: 12.5, height: 9.5, rx: 1.5 }), s("text", { class: `lt g-${id}`, x: 19.2 + index * 13.5, y: 10.5 }, goods[id].short)]));
  }

  function path(position, after, step) {
    if (!step || !after) return null;
    for (const [name, ship] of Object.entries(position.seats[step.seat].ships)) {
      const next = after.position.seats[step.seat].ships[name];
      if (next && next.at !== ship.at && step.path) {
        const points = [ship.at, ...step.path].map((id) => spaces[id]);
        let line = `M${points[0].x} ${points[0].y}`;
        for (let index = 1; index < points.length; index += 1) line += `${Math.abs(points[index].x - points[index - 1].x) > 500 ? "M" : "L"}${points[index].x} ${points[index].y}`;
        return s("path", { class: "path", d: line });
      }
    }
    return null;
  }

  function world(position, after, step) {
    const homes = Object.fromEntries(position.seats.map((one, number) => [one.home, number]));
    const places = {};
    const vessels = position.seats.flatMap((own, number) => Object.entries(own.ships).map(([name, ship]) => {
      places[ship.at] = (places[ship.at] ?? -1) + 1;
      return vessel(number, name, ship, ship.at, places[ship.at]);
    }));
    return h("div", { class: "world", tabindex: "0", role: "region", "aria-label": "The map" }, s("svg", { class: "map", viewBox: "0 20 1000 470" }, sea, path(position, after, step), fixed.spaces.filter((one) => one.port).map((one) => port(one, homes)), vessels));
  }

  function terminal(position) {
    return h("section", { class: "panel", "aria-label": "Terminal" }, h("header", {}, h("h2", {}, "Terminal"), h("span", { class: "s dim" }, "new from the left, bought from the right; the price of the last one")),
      h("ul", { class: "rows" }, fixed.goods.map(({ id, name, prices }) => {
        const row = position.terminal[id];
        return h("li", {}, token(id), h("span", {}, name), h("span", { class: `pos g-${id}`, role: "img", "aria-label": `${row.length} of 6; owners: ${row.map((owner) => (owner === null ? "the Bank" : seats[owner].name)).join(", ") || "none"}` },
          [0, 1, 2, 3, 4, 5].map((place) => h("span", { class: `${place < row.length ? "full" : ""} ${place === row.length - 1 ? "last" : ""}`, title: `$${prices[place + 1]}M` }, place < row.length ? (row[place] === null ? "Bank" : seat(row[place])) : String(prices[place + 1])))),
          h("span", { class: "price" }, `$${prices[row.length]}M`));
      })));
  }

  function orderLine(id) {
    const order = fixed.orders[id];
    return [h("span", { class: "id" }, id), token(order.good), h("span", {}, `${order.count} ${goods[order.good].name} to ${spaces[order.city].name}`), h("b", { class: "num" }, millions(order.reward))];
  }

  function board(position) {
    const news = position.news.at(-1);
    return h("section", { class: "panel", "aria-label": "Open Orders and News" }, h("header", {}, h("h2", {}, "Open Orders"), h("span", { class: "s dim" }, `deck ${Array.isArray(position.order_deck) ? position.order_deck.length : position.order_deck}`)),
      h("ul", { class: "orders" }, position.open_orders.map((id) => h("li", {}, id ? orderLine(id) : [h("span", { class: "id" }, "–"), h("span", { class: "dim" }, "empty")]))),
      h("p", { class: "pad s" }, h("b", {}, "News: "), news ? fixed.news[news] : h("span", { class: "dim" }, "none yet"), h("span", { class: "dim" }, ` · year ${position.year} of ${position.options.years}, quarter ${position.quarter} · Start marker: `), seat(position.start)));
  }

  function company(number, { position, now }, after, step, faults) {
    const own = position.seats[number];
    const next = after?.position.seats[number];
    const isActing = step?.seat === number;
    const change = next ? next.cash - own.cash : 0;
    const bar = (value, most) => h("div", { class: `tracks k${number}` }, s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: "bg", width: 100, height: 6, y: 2 }), s("rect", { class: "on", width: Math.min(100, (100 * value) / most), height: 6, y: 2 })));
    return h("section", { class: `board company ${isActing ? "act" : ""} ${own.bankrupt === null ? "" : "out"}`, "aria-label": `Seat ${number}, ${seats[number].name}` },
      h("div", { class: "plate" }, seat(number), h("div", { class: "who", title: `${seats[number].name} ${seats[number].version}` }, seats[number].name, " ", h("small", {}, seats[number].version), faults ? h("span", { class: "flt", title: `${faults} faults so far` }, `▲${faults}`) : null),
        h("div", { class: "cash" }, millions(own.cash), change ? [" ", h("span", { class: `delta ${change > 0 ? "ok" : "bad"}`, title: "with this decision" }, signed(change))] : null),
        h("div", { class: "sub" }, h("span", {}, own.bankrupt === null ? `home ${spaces[own.home].name}` : "bankrupt"), h("span", {}, `${own.completed} Orders done`), h("span", { title: "what the company would score if the game ended now" }, "if over now ", h("b", {}, String(now.score[number]))))),
      h("div", { class: "line" }, h("b", {}, "Stock"), h("span", { class: "num" }, `${own.stock}${next && next.stock !== own.stock ? ` → ${next.stock}` : ""}`)), bar(own.stock - 60, 300),
      h("div", { class: "line" }, h("b", {}, "Track"), h("span", { class: "num" }, `${own.track} of ${fixed.track}`)), bar(own.track, fixed.track),
      h("div", { class: "line" }, h("b", {}, "Ships"), Object.entries(own.ships).map(([name, ship]) => h("span", { class: `vessel ${ship.moved ? "moved" : ""}`, title: `${spaces[ship.at].name}${ship.moved ? ", has moved" : ""}` }, h("b", {}, name), h("small", {}, spaces[ship.at].name), cargoOf(ship.cargo).map(token))), Object.keys(own.ships).length ? null : h("span", { class: "dim" }, "none")),
      h("div", { class: "line" }, h("b", {}, "Factories"), Object.entries(own.factories).map(([region, one]) => h("span", { class: "fac", title: `${fixed.regions[region].name}: ${one.built} built, ${one.marked} have produced this year` }, token(fixed.regions[region].good), `×${one.built}`, one.marked ? h("small", { class: "dim" }, `${one.marked} used`) : null)), Object.keys(own.factories).length ? null : h("span", { class: "dim" }, "none")),
      h("div", { class: "line" }, h("b", {}, "Orders"), own.orders.map((one) => one.card === null ? h("span", { class: "order hid", title: "face down" }, "?") : h("span", { class: `order ${one.hidden ? "hid" : ""}`, title: `${one.card}: ${millions(fixed.orders[one.card].reward)}, penalty ${millions(fixed.orders[one.card].penalty)}${one.hidden ? "; face down" : ""}` }, token(fixed.orders[one.card].good), `${one.done}/${fixed.orders[one.card].count} ${spaces[fixed.orders[one.card].city].name}`)), own.orders.length ? null : h("span", { class: "dim" }, "none")),
      isActing ? h("span", { class: "flag" }, "to decide") : null);
  }

  return {
    element,
    panel: null,
    below: null,
    draw({ at, frame, after, step, glide }) {
      const before = {};
      const scrolled = element.querySelector(".world")?.scrollLeft ?? 0;
      if (glide) for (const one of element.querySelectorAll("[data-ship]")) before[one.dataset.ship] = one.getBoundingClientRect();
      const faults = seats.map((_, number) => scene.steps.slice(0, at - 1).filter((one) => one.seat === number && one.fault && one.fault !== "retired").length);
      element.replaceChildren(world(frame.position, after, step), h("div", { class: "companies" }, seats.map((_, number) => company(number, frame, after, step, faults[number]))), h("div", { class: "market" }, terminal(frame.position), board(frame.position)));
      element.querySelector(".world").scrollLeft = scrolled;
      if (glide) for (const moved of element.querySelectorAll("[data-ship]")) {
        const from = before[moved.dataset.ship];
        const to = moved.getBoundingClientRect();
        if (from && Math.abs(from.left - to.left) + Math.abs(from.top - to.top) > 2) moved.animate([{ translate: `${from.left - to.left}px ${from.top - to.top}px` }, { translate: "0 0" }], { duration: 200, easing: "ease-out" });
      }
    },
    status({ frame, step }) {
      if (!step || step.phase !== "turn") return [];
      const { ap, boosts } = frame.position;
      return [h("span", {}, `${ap} action point${ap === 1 ? "" : "s"} left${boosts ? `, ${boosts} free boost${boosts === 1 ? "" : "s"}` : ""}`)];
    },
  };
}
