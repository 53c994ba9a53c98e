// The strategy: a pure function from what the seat sees to an action. No memory, no chance.
//
// It lives on the difference between two ports: buys where a good is cheap, sells where the bonus is high, and looks
// for an action in this order:
//
//   1. sell what is where it was bound for;
//   2. buy ships early, each a way to earn more; with much money, late in the match, shares;
//   3. load what the voyages need, and move; with AP left go one space further where that saves a turn.
//
// Orders and factories it leaves to others. A ship's voyage is the trip that gains most, a turn at sea having its price.
'use strict';

const { PRICES, GOODS, CITIES, waysFrom } = require('./map.js');

const QUARTERS = 4;
const SHIPS = { S1: 1, S2: 1, S3: 1, L1: 2, L2: 2 }; // containers that each can carry
const SHIP_KINDS = [
  { kind: 'small', names: ['S1', 'S2', 'S3'], price: 50, upkeep: 30, paysBack: 4 }, // turns that must be left
  { kind: 'large', names: ['L1', 'L2'], price: 200, upkeep: 100, paysBack: 8 },
];
const SHARE = { price: 1000, ap: 2, floor: 60, top: 360 };
const EXTRA_AP = 250;
const DOCK_FEE = 20;
const NEWS_BONUS = { 3: 'electronics', 5: 'textiles', 6: 'machinery', 18: 'grain', 21: 'coffee', 22: 'minerals' };
const NEWS_CLOSED = { 9: 'suez', 10: 'panama' };
const NEWS_TOLL = { 11: 0, 12: 40 };
const TOLL = 20;
const BONUS = 40;

const TURN_COST = 45; // $M that a container earns in a turn, on average
const EMPTY_HOLD = 10; // $M a turn for half of a large ship that sails empty
const CAPITAL_PER_SHIP = 120; // $M that stay in hand for goods when ships or shares are bought
const NEWS_RESERVE = 60; // $M for what a News card may cost
const LEAST_LOAD = 100; // $M without which no voyage can begin: a share is sold for it
const ORDER_PENALTY = 150; // $M at the last accounts for the Order that every seat is dealt

/** The action for an observation (ShippingObservation) of a seat that has to decide, in a match of so many years. */
function decide(seat, years, observation) {
  const view = seen(seat, years, observation);
  if (view.table.phase === 'SHIPPING_PHASE_RAISE') return mildest(seat, observation);
  view.voyages = plan(view);
  return wishes(view).next().value ?? { end_turn: {} };
}

/** What the strategy looks at, out of an observation: plain names instead of the wire's. */
function seen(seat, years, { table }) {
  const board = table.boards[seat];
  const ships = board.ships.map(({ name, at, cargo, moved }) => ({
    name: plain(name, 'SHIP_NAME'),
    at: plain(at, 'SPACE'),
    cargo: cargo.map((good) => plain(good, 'GOOD')),
    moved,
  }));
  const rows = Object.fromEntries(GOODS.map((good) => [good, table.terminal[good].owners]));
  const turnsLeft = (years - table.year) * QUARTERS + QUARTERS - table.quarter + 1;
  const upkeep = SHIP_KINDS.map(({ names, upkeep: each }) => each * ships.filter(({ name }) => names.includes(name)).length);
  let due = Math.floor(((upkeep[0] + upkeep[1]) * table.quarter) / QUARTERS);
  if (turnsLeft === 1 && board.orders.length > 0) due += ORDER_PENALTY;
  const spare = board.cash - NEWS_RESERVE - due;
  const card = table.news.at(-1);
  return {
    seat,
    table,
    board,
    ships,
    rows,
    turnsLeft,
    spare,
    forGoods: table.quarter === QUARTERS ? spare : board.cash, // before the fourth quarter what they cost is soon back
    capital: CAPITAL_PER_SHIP * ships.length,
    closed: NEWS_CLOSED[card] ?? null,
    toll: NEWS_TOLL[card] ?? TOLL,
    bonusGood: NEWS_BONUS[card],
    fees: new Set(
      table.boards.flatMap(({ home, bankrupt }, owner) => (owner === seat || bankrupt ? [] : [plain(home, 'SPACE')])),
    ),
  };
}

function plain(name, kind) {
  const short = name.replace(`SHIPPING_${kind}_`, '');
  return kind === 'SHIP_NAME' ? short : short.toLowerCase();
}

function wire(name, kind) {
  return `SHIPPING_${kind}_${name.toUpperCase()}`;
}

// -- voyages

/** By ship its voyage { source, good, city, count, moves, gain, value }, if any pays; one leaves less to the next. */
function plan(view) {
  const voyages = new Map();
  const rows = { ...view.rows };
  const order = [...view.ships].sort((a, b) => b.cargo.length - a.cargo.length); // loaded ones first
  for (const ship of order) {
    const turns = view.turnsLeft - (ship.moved ? 1 : 0);
    const found = ship.cargo.length > 0 ? deliveries(view, ship) : trips({ ...view, rows }, ship);
    const voyage = found
      .map((trip) => ({ ...trip, value: trip.gain - costOf(ship, trip) * trip.moves }))
      .filter(({ moves, value }) => moves <= turns && (ship.cargo.length > 0 || value > 0))
      .reduce((best, trip) => (best && best.value >= trip.value ? best : trip), null);
    if (!voyage) continue;
    voyages.set(ship.name, voyage);
    if (ship.cargo.length === 0) rows[voyage.good] = rows[voyage.good].slice(0, -voyage.count);
  }
  return voyages;
}

function costOf(ship, { count }) {
  return TURN_COST * count + EMPTY_HOLD * (SHIPS[ship.name] - count);
}

/** Every trip for an empty ship: buy in one port, sell in another. */
function trips(view, ship) {
  const found = [];
  const ways = waysFrom(ship.at, view.closed);
  for (const [source, { makes: good }] of Object.entries(CITIES)) {
    if (!good || !ways.has(source)) continue;
    const row = view.rows[good];
    for (let count = 1; count <= Math.min(SHIPS[ship.name], row.length); count += 1) {
      const before = movesFor(ways.get(source), 0);
      const due = owed(view.seat, row, good, count) + dues(view, ways.get(source));
      const price = PRICES[good][row.length - count];
      for (const sale of sales(view, source, good, count, count)) {
        found.push({ ...sale, source, moves: before + sale.moves, gain: sale.gain + count * price - due });
      }
    }
  }
  return found;
}

/** Every way to sell all of the first good aboard. */
function deliveries(view, ship) {
  const [good] = ship.cargo;
  const count = ship.cargo.filter((other) => other === good).length;
  const price = PRICES[good][view.rows[good].length];
  return sales(view, ship.at, good, count, ship.cargo.length).map((sale) => ({ ...sale, gain: sale.gain + count * price }));
}

/** Every port that takes a good, with what the sale brings beyond the price. */
function sales(view, from, good, count, aboard) {
  const ways = waysFrom(from, view.closed);
  return Object.entries(CITIES)
    .filter(([city, { takes }]) => takes.includes(good) && ways.has(city))
    .map(([city, { bonus }]) => ({
      good,
      city,
      count,
      moves: movesFor(ways.get(city), aboard),
      gain: count * (bonus + (good === view.bonusGood ? BONUS : 0)) - dues(view, ways.get(city)),
    }));
}

function speed(aboard) {
  return aboard < 2 ? 3 : 2;
}

function movesFor({ path }, aboard) {
  return Math.ceil(path.length / speed(aboard));
}

/** Tolls and dock fee of a way. */
function dues({ toll, fees }, { path, tolls }) {
  return toll * tolls + (fees.has(path.at(-1)) ? DOCK_FEE : 0);
}

/** What `count` containers cost in one purchase: each the first one's price, own ones nothing. */
function owed(seat, row, good, count) {
  return PRICES[good][row.length] * row.slice(-count).filter((owner) => owner !== seat).length;
}

// -- actions

/** What is worth doing now, best first; all of it legal. */
function* wishes(view) {
  yield* sold(view);
  if (view.turnsLeft === 1) yield* lastShares(view);
  yield* newShips(view);
  yield* loads(view);
  yield* moved(view, false);
  if (view.table.ap >= SHARE.ap && view.spare - SHARE.price >= view.capital && view.board.stock < SHARE.top) {
    yield { buy_share: {} };
  }
  yield* moved(view, true);
  yield* freshMoney(view);
}

/** A share is sold where the money does not do for a load or a way: it would stay so. Called when nothing else is left. */
function* freshMoney({ ships, voyages, turnsLeft, spare, table, board }) {
  const isEmpty = ships.every(({ cargo }) => cargo.length === 0);
  const isHeldUp = ships.some(({ name, at, cargo, moved }) => {
    const voyage = voyages.get(name);
    return voyage && !moved && at !== (cargo.length > 0 ? voyage.city : voyage.source);
  });
  if (turnsLeft <= QUARTERS || table.share_sold || board.stock <= SHARE.floor) return;
  if (isHeldUp || (isEmpty && spare < LEAST_LOAD)) yield { sell_share: {} };
}

function* sold({ ships, voyages }) {
  for (const { name, cargo } of ships) {
    const voyage = voyages.get(name);
    if (voyage && cargo.length > 0 && voyage.moves === 0) {
      yield { sell: { ship: wire(name, 'SHIP_NAME'), good: wire(voyage.good, 'GOOD'), order: 0 } };
    }
  }
}

function* newShips({ ships, table, spare, capital, turnsLeft }) {
  for (const { kind, names, price, paysBack } of SHIP_KINDS) {
    const owned = ships.filter(({ name }) => names.includes(name)).length;
    if (owned < names.length && table.ap >= 1 && turnsLeft >= paysBack && spare - price >= capital) {
      yield { buy_ship: { kind } };
    }
  }
}

function* loads({ seat, ships, voyages, rows, table, forGoods }) {
  for (const { name, at, cargo } of ships) {
    const voyage = voyages.get(name);
    if (!voyage || cargo.length > 0 || voyage.source !== at) continue;
    const row = rows[voyage.good];
    for (let count = Math.min(voyage.count, table.ap, row.length); count > 0; count -= 1) {
      if (owed(seat, row, voyage.good, count) <= Math.max(0, forGoods)) {
        yield { buy: { ship: wire(name, 'SHIP_NAME'), count } };
      }
    }
  }
}

/** Moves of the ships that gain nothing by a boost, or of those that do. */
function* moved(view, boosted) {
  const canBoost = view.table.boosts > 0 || view.table.ap >= 1;
  for (const ship of view.ships) {
    const voyage = view.voyages.get(ship.name);
    if (!voyage || ship.moved) continue;
    const way = waysFrom(ship.at, view.closed).get(ship.cargo.length > 0 ? voyage.city : voyage.source);
    const most = speed(ship.cargo.length);
    const gains = way.path.length % most === 1 && way.path.length > most;
    if (way.path.length === 0 || gains !== boosted || dues(view, way) > view.board.cash) continue;
    const boost = gains && canBoost;
    const path = way.path.slice(0, most + (boost ? 1 : 0)).map((space) => wire(space, 'SPACE'));
    yield { move: { ship: wire(ship.name, 'SHIP_NAME'), path, boost } };
  }
}

/** In the last turn all the money goes into shares, AP bought for them if need be. */
function* lastShares({ table, board, spare }) {
  if (board.stock >= SHARE.top) return;
  const missing = Math.max(0, SHARE.ap - table.ap);
  if (spare < SHARE.price + missing * EXTRA_AP) return;
  if (missing === 0) yield { buy_share: {} };
  else if (!table.ap_bought) yield { buy_ap: { count: missing } };
}

/** The answer that is always legal: what the referee itself plays for a seat that does not answer. */
function mildest(seat, { table }) {
  if (table.phase !== 'SHIPPING_PHASE_RAISE') return { end_turn: {} };
  const { stock, ships, factories } = table.boards[seat];
  if (stock > SHARE.floor) return { sell_asset: { asset: 'share' } };
  const names = ships.map(({ name }) => plain(name, 'SHIP_NAME')).sort();
  const name = names.filter((each) => each.startsWith('S')).at(-1) ?? names.at(-1);
  if (name) return { sell_asset: { asset: 'ship', ship: wire(name, 'SHIP_NAME') } };
  return { sell_asset: { asset: 'factory', region: factories[0].region } };
}

module.exports = { decide, mildest };
