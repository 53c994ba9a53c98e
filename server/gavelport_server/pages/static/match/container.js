// Container's table from above: boards round the water, the island, the supply; and the auction beside it.

import { dollars, h, s, seat, signedDollars } from "./dom.js";

const LETTERS = { black: "K", white: "W", brown: "B", tan: "T", orange: "O" };
const CODES = { black: "k", white: "w", brown: "b", tan: "t", orange: "o" };

export function create(scene, { go, view }) {
  const { fixed, seats, auctions } = scene;
  const colours = fixed.colours;
  const count = seats.length;
  const pieces = (bag) => colours.flatMap((colour) => Array(bag[colour] || 0).fill(colour));
  const total = (bag) => colours.reduce((sum, colour) => sum + (bag[colour] || 0), 0);
  const words = (bag) => colours.filter((colour) => bag[colour]).map((colour) => `${bag[colour]} ${colour}`).join(", ") || "nothing";
  const token = (colour, more = "") => h("i", { class: `c c${CODES[colour]} ${more}`, title: more ? `${colour}, with this decision` : colour }, LETTERS[colour]);
  const hidden = (what = "?") => h("span", { class: "hid", title: "not visible in this view" }, what);
  const who = (number) => h("span", { class: "who" }, seat(number), h("span", { class: "nm" }, seats[number].name));
  const element = h("div", { class: `table n${count}`, role: "group", "aria-label": "The table" });
  const panel = h("section", { class: "panel auction", "aria-label": "Auction" });
  const below = h("section", { class: "panel auctions", "aria-label": "All auctions" });
  list();
  // Which place of five a seat has: those above the water in order, those below it backwards.
  const placed = count === 4 ? [0, 1, 3, 4] : count === 3 ? [0, 1, 4] : [0, 1, 2, 3, 4];

  function ship(number, cargo) {
    const bays = pieces(cargo);
    return s("svg", { class: `ship k${number}`, "data-ship": number, viewBox: "0 0 118 27", role: "img", "aria-label": `Ship of seat ${number}: ${words(cargo)}` },
      s("path", { class: "hull", d: "M6 1.500H98q12 2.500 18.500 12Q110 23 98 25.500H6Q1.500 25.500 1.500 13.500 1.500 1.500 6 1.500Z" }),
      s("circle", { class: "flagc", cx: 14, cy: 13.5, r: 8 }), s("text", { class: "sn", x: 14, y: 17.3 }, String(number)),
      Array.from({ length: fixed.ship }, (_, bay) => {
        const colour = bays[bay];
        const x = 27 + 14.6 * bay;
        return [s("rect", { class: colour ? `b${CODES[colour]}` : "bay", x, y: 6, width: 13, height: 15, rx: 1.5 }), colour && s("text", { class: `t${CODES[colour]}`, x: x + 6.5, y: 17 }, LETTERS[colour])];
      }));
  }

  function card(name) {
    const ranks = fixed.cards[name];
    return h("span", { class: "card", title: `Value card ${name}: ${ranks.map(([colour, worth]) => `${worth} ${colour}`).join(", ")}` }, h("b", {}, name), ranks.map(([colour]) => token(colour)));
  }

  function store(goods, prices, capacity, title) {
    const sum = Object.values(goods).reduce((all, bag) => all + total(bag), 0);
    return h("div", {}, h("h2", {}, `${title} `, h("span", { class: "fill" }, `${sum}/${capacity}`)),
      h("div", { class: "cols" }, prices.map((price) => {
        const bag = goods[price] || {};
        return h("div", { class: total(bag) ? "col has" : "col", role: "img", "aria-label": `$${price}: ${words(bag)}` }, h("b", {}, `$${price}`), h("div", { class: "pile", "aria-hidden": "true" }, pieces(bag).map((colour) => token(colour))));
      })));
  }

  function board(number, { position, now }, after, step, faults) {
    const own = position.seats[number];
    const next = after?.position.seats[number];
    const isActing = step?.seat === number;
    const isOver = position.phase === "over";
    let cash = own.cash === null ? hidden() : [dollars(own.cash)];
    const change = next && own.cash !== null && next.cash !== null ? next.cash - own.cash : step?.money?.[number] || 0;
    if (change) cash = [cash, " ", h("span", { class: `delta ${change > 0 ? "ok" : "bad"}`, title: "with this decision" }, own.cash !== null && next.cash !== null ? `→ ${dollars(next.cash)}` : signedDollars(change))];
    const free = own.factories.findIndex((colour) => colour === null);
    const docked = position.seats.map((one, other) => ({ one, other })).filter(({ one }) => one.ship.at === number);
    const score = now.score[number];
    return h("section", { class: `board b${placed[number]} ${placed[number] > 2 ? "south" : ""} ${isActing ? "act" : ""}`, "aria-label": `Seat ${number}, ${seats[number].name}` },
      h("div", { class: "plate" }, seat(number),
        h("div", { class: "who", title: `${seats[number].name} ${seats[number].version}` }, seats[number].name, " ", h("small", {}, seats[number].version), faults ? h("span", { class: "flt", title: `${faults} faults so far` }, `▲${faults}`) : null),
        h("div", { class: "cash" }, cash),
        h("div", { class: "sub" }, h("span", { class: "loans", title: `${own.loans} loans of $10, interest $1 each a turn` }, "loans ", own.loans ? "" : h("span", { class: "dim" }, "none"), Array.from({ length: own.loans }, () => h("i"))),
          own.card === null ? hidden("card ?") : card(own.card),
          score === null ? null : h("span", { title: "what the seat would score if the game ended now" }, isOver ? "scores " : "if over now ", h("b", {}, dollars(score))))),
      h("div", { class: "zone fz" }, h("div", {}, h("h2", {}, "Factories"), h("div", { class: "slots" }, own.factories.map((colour, slot) => colour
        ? h("span", { class: `f c${CODES[colour]}`, title: `${colour} factory` }, LETTERS[colour])
        : slot === free ? h("span", { class: "e", title: "price of the next factory" }, `$${fixed.factory_slots[slot]}`) : h("span", { class: "e" })))),
      store(own.factory_store, fixed.factory_prices, 2 * own.factories.filter((colour) => colour !== null).length, "Factory store")),
      h("div", { class: "zone" }, h("div", {}, h("h2", {}, "Warehouses"), h("div", { class: "wh" },
        Array.from({ length: own.warehouses }, () => h("span", { class: "h", title: "warehouse" })),
        own.warehouses < fixed.warehouse_slots.length ? h("span", { class: "e", title: "price of the next warehouse" }, `$${fixed.warehouse_slots[own.warehouses]}`) : null)),
      store(own.harbour_store, fixed.harbour_prices, own.warehouses, "Harbour store")),
      h("div", { class: "dock", role: "group", "aria-label": `Harbour of seat ${number}` }, docked.length ? docked.map(({ one, other }) => ship(other, one.ship.cargo)) : h("span", {}, "Harbour: no ship")),
      isActing ? h("span", { class: "flag" }, `to decide: ${step.phase.replace("_", " ")}`) : null);
  }

  function island({ position, now }, after) {
    return h("div", { class: "island", style: { "--n": count } }, h("h2", { class: "vh" }, "Island"), h("span", { class: "shore" }, h("b", {}, "Island")), position.seats.map((own, number) => {
      const worth = now.island[number];
      const next = after?.position.seats[number].island ?? own.island;
      const coming = colours.flatMap((colour) => Array(Math.max(0, (next[colour] || 0) - (own.island[colour] || 0))).fill(colour));
      const leaving = Object.fromEntries(colours.map((colour) => [colour, Math.max(0, (own.island[colour] || 0) - (next[colour] || 0))]));
      return h("div", { class: "isl", style: { "--col": number + 1 } },
        h("div", { class: "berth" }, own.ship.at === "island" ? ship(number, own.ship.cargo) : h("span", { class: "no" })),
        h("div", { class: `area ${number ? "" : "first"} ${coming.length ? "to" : ""}` },
          h("div", { class: "top" }, seat(number), h("span", { class: "nm" }, seats[number].name), h("span", { class: "v", title: "worth to its owner if the game ended now" }, worth === null ? hidden() : dollars(worth))),
          total(own.island) || coming.length ? h("div", { class: "heap" }, pieces(own.island).map((colour) => (leaving[colour]-- > 0 ? token(colour, "go") : token(colour))), coming.map((colour) => token(colour, "gh"))) : h("div", { class: "none" }, "nothing yet")));
    }));
  }

  function water(frame, after) {
    const fleet = frame.position.seats.map((own, number) => ({ own, number })).filter(({ own }) => own.ship.at === "sea");
    return h("div", { class: "water" }, h("div", { class: "opensea" }, h("h2", {}, "Open sea"), h("div", { class: "fleet" }, fleet.map(({ own, number }) => ship(number, own.ship.cargo)))), island(frame, after));
  }

  function supply({ position }) {
    const low = colours.map((colour) => [position.supply[colour] || 0, colour]).sort((one, other) => one[0] - other[0]).slice(0, 2);
    return h("section", { class: "supply", "aria-label": "Supply" }, h("h2", {}, "Supply ", h("span", { class: "xs dim" }, `left of ${fixed.supply}, − seized`)),
      h("ul", {}, colours.map((colour) => {
        const left = position.supply[colour] || 0;
        const gone = position.removed[colour] || 0;
        return h("li", {}, token(colour), h("span", {}, colour), h("span", { class: `bar c${CODES[colour]}` }, h("i", { style: { width: `${(100 * left) / fixed.supply}%` } })), h("span", { class: "n" }, String(left)), h("span", { class: "xs dim num" }, gone ? `−${gone}` : ""));
      })),
      h("p", {}, `The game ends when two colours run out. Lowest: ${low.map(([left, colour]) => `${colour} ${left}`).join(", ")}.`));
  }

  function list() {
    const count = scene.asked ? `${auctions.length} so far` : `${auctions.length} in this match`;
    below.replaceChildren(h("header", {}, h("h2", {}, "Auctions"), h("span", { class: "s dim" }, auctions.length ? count : scene.asked ? "none so far" : "none in this match")));
    if (!auctions.length) return;
    below.append(h("div", { class: "scroll" }, h("table", { class: "tbl" }, h("thead", {}, h("tr", {}, ["Decision", "Seller", "Lot", "Price", "Buyer"].map((title) => h("th", { scope: "col", class: ["Decision", "Price"].includes(title) ? "n" : null }, title)), h("th", { scope: "col" }, h("span", { class: "vh" }, "Tie")))),
        h("tbody", {}, auctions.map((one) => h("tr", { "data-last": one.last }, h("td", { class: "n" }, link(one.last || one.first)), h("td", {}, who(one.seller)), h("td", {}, h("span", { class: "lotc", title: one.lot_words }, pieces(one.lot).map((colour) => token(colour)))),
          h("td", { class: "n price" }, one.last ? dollars(one.amount) : h("span", { class: "dim" }, "open")), h("td", {}, !one.last ? "" : one.accepted ? who(one.winner) : h("span", { class: "dim" }, "kept")), h("td", {}, one.tie ? h("span", { class: "tag warn" }, "tie") : null)))))));
  }

  function link(at) {
    const found = h("a", { href: `#d=${at}` }, String(at));
    found.addEventListener("click", (event) => { event.preventDefault(); go(at); });
    return found;
  }

  function showAuction(at) {
    const index = auctions.findLastIndex((one) => one.first - 1 <= at);
    for (const row of below.querySelectorAll("tr[data-last]")) {
      if (index >= 0 && Number(row.dataset.last) === auctions[index].last) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    if (index < 0) {
      panel.className = "panel auction past";
      panel.replaceChildren(h("header", {}, h("h2", {}, "Auction"), h("span", { class: "s dim" }, auctions.length ? `the first comes at decision ${auctions[0].first}` : scene.asked ? "none so far" : "none in this match")));
      return;
    }
    const one = auctions[index];
    const isOn = at >= one.first - 1 && (!one.last || at <= one.last);
    const isOpen = view === "full" || (one.open_at && at >= one.open_at);
    const isExtraOpen = view === "full" || (one.extra_open_at && at >= one.extra_open_at);
    const isDone = one.last && at >= one.last;
    const bidders = seats.map((_, number) => number).filter((number) => one.bids[number] !== null && one.bids[number] !== undefined).sort((a, b) => (isOpen ? one.final[b] - one.final[a] : 0) || a - b);
    const top = Math.max(1, ...one.final.filter((value) => value !== null), ...one.worth.filter((value) => value !== null));
    const wide = (value) => `${(100 * Math.max(0, value)) / top}%`;
    const shown = (value) => (value === null || value === undefined ? hidden() : dollars(value));
    const rows = bidders.flatMap((number) => {
      const wins = isDone && one.accepted && number === one.winner ? "win" : "";
      const extra = one.extra[number];
      const mine = view === String(number);
      const seesBid = isOpen || (mine && at > one.first);
      return [h("tr", { class: wins }, h("th", { scope: "row" }, h("span", { class: "seatcell" }, seat(number), h("span", { class: "nm" }, seats[number].name))),
        h("td", {}, isOpen ? dollars(one.bids[number]) : h("span", { class: "dim" }, "sealed"), isOpen && one.loans[number] ? h("small", { class: "dim", title: "loans taken for it" }, ` +${one.loans[number]} loan${one.loans[number] > 1 ? "s" : ""}`) : null),
        h("td", {}, extra === null ? h("span", { class: "dim" }, "–") : isExtraOpen ? `+$${extra}` : h("span", { class: "dim" }, isOpen ? "sealed" : "–")),
        h("td", { class: "fin" }, seesBid && isOpen ? dollars(isExtraOpen ? one.final[number] : one.bids[number]) : ""), h("td", {}, shown(one.worth[number])), h("td", {}, shown(one.face[number]))),
      h("tr", { class: `bar ${wins}`, "aria-hidden": "true" }, h("td", { colspan: 6 }, h("div", { class: `bidbar k${number}` },
        isOpen ? h("i", { style: { width: wide(one.bids[number]) } }) : null,
        isOpen && isExtraOpen && extra ? h("i", { class: "x", style: { left: wide(one.bids[number]), width: wide(extra) } }) : null,
        one.worth[number] !== null ? h("u", { style: { left: wide(one.worth[number]) } }) : null)))];
    });
    panel.className = `panel auction ${isOn ? "" : "past"}`;
    panel.replaceChildren(
      h("header", {}, h("h2", {}, `Auction ${index + 1} of ${auctions.length}`), h("span", { class: "s dim" }, `decisions ${one.first}–${one.last || "?"}`), one.tie && isOpen ? h("span", { class: "r tag warn" }, isExtraOpen ? "tie broken" : "tied") : isOn ? null : h("span", { class: "r tag" }, "over")),
      h("div", { class: "lot" }, pieces(one.lot).map((colour) => token(colour)), h("span", {}, `${one.lot_words}, from `), seat(one.seller), seats[one.seller].name),
      h("div", { class: "scroll" }, h("table", { class: "bids" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Bidder"), h("th", { scope: "col" }, "bid"), h("th", { scope: "col" }, "tie-break"), h("th", { scope: "col" }, "final"),
        h("th", { scope: "col", title: "what the lot adds to this seat’s island area if the game ended now" }, "worth now"), h("th", { scope: "col", title: "card values of the lot" }, "face"))), h("tbody", {}, rows))),
      h("div", { class: "key" }, h("span", {}, h("i"), "sealed bid"), one.tie ? h("span", {}, h("i", { class: "x" }), "added after the tie") : null, h("span", {}, h("i", { class: "u" }), "worth now")),
      isDone ? h("div", { class: "decision" }, h("div", { class: "big" }, seat(one.seller), one.accepted ? [" accepts ", seat(one.winner), ` ${seats[one.winner].name} at ${dollars(one.amount)}`] : ` keeps the lot for ${dollars(one.amount)}`), one.text.map((text, line) => h("div", { class: line ? "ink2" : null }, text)))
        : h("div", { class: "decision ink2" }, isOpen && at >= one.open_at ? "The bids are open; the seller decides." : "Bids are sealed until all are in."));
  }

  function glide(before) {
    for (const moved of element.querySelectorAll("[data-ship]")) {
      const from = before[moved.dataset.ship];
      if (!from) continue;
      const to = moved.getBoundingClientRect();
      const x = from.left - to.left;
      const y = from.top - to.top;
      if (Math.abs(x) + Math.abs(y) > 2) moved.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 200, easing: "ease-out" });
    }
  }

  return {
    element,
    panel,
    below,
    list,
    draw({ at, frame, after, step, told = at, glide: isGliding }) {
      const before = {};
      if (isGliding) for (const one of element.querySelectorAll("[data-ship]")) before[one.dataset.ship] = one.getBoundingClientRect();
      const faults = seats.map((_, number) => scene.faults.filter((one) => one.at < at && one.seat === number && one.reason !== "retired").length);
      const boards = seats.map((_, number) => board(number, frame, after, step, faults[number]));
      element.replaceChildren(water(frame, after), ...boards, supply(frame));
      showAuction(told);
      if (isGliding) glide(before);
    },
    status({ frame, step }) {
      const left = frame.position.actions_left;
      if (!step || frame.position.phase === "over") return [];
      return [h("span", { class: "pips" }, h("i", { class: left < 2 ? "on" : "" }), h("i", { class: left < 1 ? "on" : "" }), ` ${left} action${left === 1 ? "" : "s"} left`)];
    },
  };
}
