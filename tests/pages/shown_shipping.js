// Reads back what the viewer shows of a position of Shipping; see shown.py.
() => {
  const number = (text) => Number(text.replace("−", "-").replace(/[^-\d]/g, ""));
  const line = (board, name) => [...board.querySelectorAll(".line")].find((one) => one.firstChild.textContent === name);
  const boards = [...document.querySelectorAll(".company")];
  const cargo = (text) => (text === "empty" ? {} : Object.fromEntries(text.split(", ").map((one) => one.split(" ")).map(([count, good]) => [good.toLowerCase(), Number(count)])));
  const ships = boards.map(() => ({}));
  for (const one of document.querySelectorAll(".map .vessel")) {
    const [seat, name] = one.dataset.ship.split("-");
    const [where, what] = one.getAttribute("aria-label").split(/: (?=[^:]*$)/);
    ships[seat][name] = { at: where.split(" at ")[1], cargo: cargo(what), moved: one.classList.contains("moved") };
  }
  const news = document.querySelector("[aria-label='Open Orders and News'] .pad").textContent;
  return {
    year: Number(news.match(/year (\d)/)[1]), quarter: Number(news.match(/quarter (\d)/)[1]), start: Number(news.match(/marker: (\d)/)[1]),
    terminal: Object.fromEntries([...document.querySelectorAll(".rows li")].map((row) => [row.children[1].textContent.toLowerCase(), [...row.querySelectorAll(".full")].map((one) => (one.textContent === "Bank" ? null : Number(one.textContent)))])),
    open_orders: [...document.querySelectorAll(".orders .id")].map((one) => (one.textContent === "–" ? null : one.textContent)),
    news: news.match(/News: (.*?) · /)[1],
    seats: boards.map((board, seat) => ({
      cash: number(board.querySelector(".cash").firstChild.textContent),
      stock: number(line(board, "Stock").children[1].textContent.split(" → ")[0]),
      track: number(line(board, "Track").children[1].textContent.split(" of ")[0]),
      completed: number(board.querySelector(".sub").children[1].textContent),
      bankrupt: board.classList.contains("out"),
      ships: ships[seat],
      factories: [...line(board, "Factories").querySelectorAll(".fac")].map((one) => one.title),
      orders: [...line(board, "Orders").querySelectorAll(".order")].map((one) => [one.title.split(":")[0], one.classList.contains("hid")]),
    })),
  };
}
