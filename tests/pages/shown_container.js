// Reads back what the viewer shows of a position of Container; see shown.py.
() => {
  const letters = { K: "black", W: "white", B: "brown", T: "tan", O: "orange" };
  const bag = (found) => { const all = {}; for (const one of found) { const colour = letters[one.textContent]; all[colour] = (all[colour] || 0) + 1; } return all; };
  const words = (text) => Object.fromEntries(text === "nothing" ? [] : text.split(", ").map((one) => one.split(" ")).map(([count, colour]) => [colour, Number(count)]));
  const store = (columns) => Object.fromEntries([...columns].map((column) => [column.querySelector("b").textContent.slice(1), bag(column.querySelectorAll(".pile .c"))]).filter(([, goods]) => Object.keys(goods).length));
  const boards = [...document.querySelectorAll(".board")];
  const ships = Object.fromEntries([...document.querySelectorAll(".table .ship")].map((ship) => {
    const dock = ship.closest(".dock");
    const at = dock ? Number(dock.getAttribute("aria-label").match(/\d/)[0]) : ship.closest(".berth") ? "island" : "sea";
    return [ship.dataset.ship, { at, cargo: words(ship.getAttribute("aria-label").split(": ")[1]) }];
  }));
  const areas = [...document.querySelectorAll(".isl")];
  const money = (text) => (text === "?" ? null : Number(text.replace("−", "-").replace("$", "")));
  const rows = [...document.querySelectorAll(".supply li")];
  return {
    seats: boards.map((board, seat) => {
      const zones = board.querySelectorAll(".zone");
      return {
        cash: money(board.querySelector(".cash").firstChild.textContent),
        loans: board.querySelectorAll(".loans i").length,
        card: board.querySelector(".card b")?.textContent ?? null,
        factories: [...zones[0].querySelectorAll(".slots span")].map((slot) => letters[slot.textContent] ?? null),
        warehouses: zones[1].querySelectorAll(".h").length,
        factory_store: store(zones[0].querySelectorAll(".col")),
        harbour_store: store(zones[1].querySelectorAll(".col")),
        ship: ships[seat],
        island: bag(areas[seat].querySelectorAll(".heap .c:not(.gh)")),
      };
    }),
    supply: Object.fromEntries(rows.map((row) => [row.children[1].textContent, Number(row.querySelector(".n").textContent)]).filter(([, left]) => left)),
    removed: Object.fromEntries(rows.map((row) => [row.children[1].textContent, Number(row.lastChild.textContent.replace("−", ""))]).filter(([, gone]) => gone)),
  };
}
