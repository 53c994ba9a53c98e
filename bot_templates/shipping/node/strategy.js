// The strategy: a pure function from what the seat sees to an action, both as the .proto files have them.
//
// It carries goods from where they are cheap to where they are dear, buys small ships as long as they pay, and turns
// what it earns into shares. It takes no Orders and builds no factories: those are good next things to teach it.
'use strict';

const { PRICES, CITIES, waysFrom } = require('./map.js');

const NEWS = 100; // $M that stay in hand for what a News card may cost
const CAPITAL = 300; // $M to trade with, beside what a ship costs
const PAYS_BACK = 6; // turns that must be left for a ship to earn its price
const SPEED = 3; // spaces a turn
const DOCK_FEE = 20; // $M for a port that is another's home
const MAINTENANCE = { s: 30, l: 100 }; // $M a year for a small and a large ship
const TOLLS = { 11: 0, 12: 40 }; // $M a canal while these News are in force, else 20
const CLOSED = { 9: 'suez', 10: 'panama' }; // by the News in force

/**
 * The action for an observation (ShippingObservation): `table` is what lies open, `own` what only this seat sees;
 * `years` is how long the match lasts.
 */
function decide(seat, { table, own }, years) {
  if (table.phase !== 'SHIPPING_PHASE_TURN') return mildest(seat, { table }); // a bill that the cash does not cover
  const view = seen(seat, table, years);
  // CHANGE HERE: `own.hand` has the cards of one's own Orders; take more, and plan ways around them; build factories.
  for (const ship of view.ships) {
    const action = sail(view, ship);
    if (action) return action;
  }
  if (view.ap >= 1 && view.small < 3 && view.spare >= 50 + CAPITAL && view.turnsLeft >= PAYS_BACK) {
    return { buy_ship: { kind: 'small' } };
  }
  if (view.ap >= 2 && view.spare >= 1000 && view.stock < 360) return { buy_share: {} };
  return { end_turn: {} };
}

/** What this strategy looks at, by the names of the notation. */
function seen(seat, table, years) {
  const board = table.boards[seat];
  const ships = board.ships.map(({ name, at, cargo, moved }) => {
    return { name, at: nameOf(at), cargo: cargo.map(nameOf), moved };
  });
  const news = table.news.at(-1);
  const maintenance = board.ships.reduce((sum, { name }) => sum + MAINTENANCE[nameOf(name)[0]], 0);
  return {
    ap: table.ap,
    cash: board.cash,
    spare: board.cash - maintenance - NEWS,
    stock: board.stock,
    ships,
    small: board.ships.filter(({ name }) => nameOf(name).startsWith('s')).length,
    turnsLeft: (years - table.year) * 4 + 5 - table.quarter,
    rows: Object.fromEntries(Object.keys(PRICES).map((good) => [good, table.terminal[good].owners.length])),
    homes: table.boards.filter((other, number) => number !== seat && !other.bankrupt).map(({ home }) => nameOf(home)),
    toll: TOLLS[news] ?? 20,
    closed: CLOSED[news] ?? null,
  };
}

/** What brings a ship further on the trip that earns most in a turn, or null. */
function sail(view, ship) {
  const trip = bestTrip(view, ship);
  if (!trip) return null;
  if (ship.cargo.length > 0) {
    if (ship.at === trip.city) return { sell: { ship: ship.name, good: `SHIPPING_GOOD_${trip.good.toUpperCase()}` } };
    return move(view, ship, trip.city);
  }
  if (ship.at !== trip.source) return move(view, ship, trip.source);
  const canBuy = view.ap >= 1 && PRICES[trip.good][view.rows[trip.good]] <= view.spare;
  return canBuy ? { buy: { ship: ship.name, count: 1 } } : null;
}

/** The trip that gains most in a turn, of those that come to an end in time: { source, good, city }, or null. */
function bestTrip(view, ship) {
  let best = null;
  let most = ship.cargo.length > 0 ? -Infinity : 0; // what is aboard must go
  for (const { source, good, turns, cost } of purchases(view, ship)) {
    for (const [city, { takes, bonus }] of Object.entries(CITIES)) {
      const way = takes.includes(good) && waysFrom(source, view.closed).get(city);
      if (!way) continue;
      const allTurns = turns + Math.ceil(way.path.length / SPEED);
      const left = view.rows[good] - (ship.cargo.length > 0 ? 0 : 1); // the price rises with a purchase
      const gain = (PRICES[good][left] + bonus - cost - dues(view, way)) / (allTurns + 1);
      if (allTurns <= view.turnsLeft && gain > most) {
        most = gain;
        best = { source, good, city };
      }
    }
  }
  return best;
}

/** Where a trip can begin: with what is aboard, or in any port where something can be bought. */
function* purchases(view, ship) {
  if (ship.cargo.length > 0) {
    yield { source: ship.at, good: ship.cargo[0], turns: 0, cost: 0 };
    return;
  }
  for (const [source, { makes }] of Object.entries(CITIES)) {
    const way = makes && view.rows[makes] > 0 && waysFrom(ship.at, view.closed).get(source);
    if (!way) continue;
    const cost = PRICES[makes][view.rows[makes]] + dues(view, way);
    yield { source, good: makes, turns: Math.ceil(way.path.length / SPEED), cost };
  }
}

/** The move towards a port, or null where the ship has moved or the dues of the way are more than the cash. */
function move(view, ship, to) {
  const way = waysFrom(ship.at, view.closed).get(to);
  if (ship.moved || dues(view, way) > view.cash) return null;
  const path = way.path.slice(0, SPEED).map((space) => `SHIPPING_SPACE_${space.toUpperCase()}`);
  return { move: { ship: ship.name, path } };
}

/** Tolls and dock fee of a way. */
function dues(view, { path, tolls }) {
  return tolls * view.toll + (view.homes.includes(path.at(-1)) ? DOCK_FEE : 0);
}

/** "SHIPPING_SPACE_NEW_YORK" -> "new_york"; likewise goods and ships. */
function nameOf(wire) {
  return wire.replace(/^SHIPPING_(SPACE|GOOD|SHIP_NAME)_/, '').toLowerCase();
}

/** The answer that is always legal: what the referee itself plays for a seat that does not answer. */
function mildest(seat, { table }) {
  if (table.phase === 'SHIPPING_PHASE_TURN') return { end_turn: {} };
  const { stock, ships, factories } = table.boards[seat];
  if (stock > 60) return { sell_asset: { asset: 'share' } };
  const ship = ships.filter(({ name }) => nameOf(name).startsWith('s')).at(-1) ?? ships.at(-1);
  if (ship) return { sell_asset: { asset: 'ship', ship: ship.name } };
  return { sell_asset: { asset: 'factory', region: factories[0].region } };
}

module.exports = { decide, mildest };
