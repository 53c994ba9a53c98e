// Shipping's table: the map with its ships, the Terminal's rows, Orders, and a board for each company.

import { h, s, seat, signed as signedNumber } from "./dom.js";
import { map } from "./map.js";

const millions = (number) => (number < 0 ? `−$${-number}M` : `$${number}M`);
const signed = (number) => (number < 0 ? millions(number) : `+${millions(number)}`);

export function create(scene, { go }) {
  const { fixed, seats } = scene;
  const goods = Object.fromEntries(fixed.goods.map((one) => [one.id, one]));
  const spaces = Object.fromEntries(fixed.spaces.map((one) => [one.id, one]));
  const element = h("div", { class: "shipping" });
  const below = h("section", { class: "panel", "aria-label": "Accounts" });
  list();
  const token = (id) => h("span", { class: `good g-${id}`, title: goods[id].name }, goods[id].short);
  const cargoOf = (cargo) => fixed.goods.flatMap(({ id }) => Array(cargo[id] || 0).fill(id));
  const describe = (cargo) => fixed.goods.filter(({ id }) => cargo[id]).map(({ id, name }) => `${cargo[id]} ${name}`).join(", ") || "empty";

  const world = map(fixed, seats, describe, () => last && draw({ ...last, glide: false }));
  let last = null;

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

  // What each year brought and cost, by what it was for.
  function list() {
    const { accounts } = scene;
    below.replaceChildren(h("header", {}, h("h2", {}, "Accounts"), h("span", { class: "s dim" }, accounts.length ? "by year and seat, in millions" : "the first come at the end of the year")),
      h("div", { class: "scores" }, accounts.map(({ year, at, lines }, index) => h("details", { open: index === accounts.length - 1 }, h("summary", {}, h("b", {}, `Year ${year}`)), h("p", { class: "s dim" }, "Closed with decision ", link(at)),
        h("table", { class: "tbl accounts" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "vh" }, "For what")), seats.map((one, number) => h("th", { scope: "col", class: "n", title: one.name }, seat(number))))),
          h("tbody", {}, lines.map(([what, amounts]) => h("tr", {}, h("th", { scope: "row" }, what), amounts.map((one) => h("td", { class: "n" }, one ? signedNumber(one) : h("span", { class: "dim" }, "–"))))),
            h("tr", { class: "sum" }, h("th", { scope: "row" }, "Together"), seats.map((_, number) => h("td", { class: "n" }, signedNumber(lines.reduce((sum, [, amounts]) => sum + amounts[number], 0)))))))))));
  }

  function link(at) {
    const found = h("a", { href: `#d=${at}` }, String(at));
    found.addEventListener("click", (event) => { event.preventDefault(); go(at); });
    return found;
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

  function draw(shown) {
    const { at, frame, after, step, glide } = last = shown;
    const before = {};
    if (glide) for (const one of element.querySelectorAll("[data-ship]")) before[one.dataset.ship] = one.getBoundingClientRect();
    const faults = seats.map((_, number) => scene.faults.filter((one) => one.at < at && one.seat === number && one.reason !== "retired").length);
    const sheet = world(frame.position, after, step);
    element.replaceChildren(h("div", { class: "world", role: "group", "aria-label": "The map" }, sheet), h("div", { class: "companies" }, seats.map((_, number) => company(number, frame, after, step, faults[number]))), h("div", { class: "market" }, terminal(frame.position), board(frame.position)));
    if (!glide) return;
    const unit = sheet.viewBox.baseVal.width / sheet.clientWidth;
    for (const moved of element.querySelectorAll("[data-ship]")) {
      const from = before[moved.dataset.ship];
      const to = moved.getBoundingClientRect();
      if (from && Math.abs(from.left - to.left) + Math.abs(from.top - to.top) > 2) moved.animate([{ translate: `${(from.left - to.left) * unit}px ${(from.top - to.top) * unit}px` }, { translate: "0 0" }], { duration: 200, easing: "ease-out" });
    }
  }

  return {
    element,
    panel: null,
    below,
    list,
    draw,
    status({ frame, step }) {
      if (!step || step.phase !== "turn") return [];
      const { ap, boosts } = frame.position;
      return [h("span", {}, `${ap} action point${ap === 1 ? "" : "s"} left${boosts ? `, ${boosts} free boost${boosts === 1 ? "" : "s"}` : ""}`)];
    },
  };
}
