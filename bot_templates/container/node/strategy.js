// The strategy: a pure function from what the seat sees to an action, both as the .proto files have them.
//
// It produces every turn, stocks its harbour for the ships of others, and bids a little for every lot. It never sails:
// that is a good next thing to teach it.
'use strict';

const { listed, toStore, unpacked, toBag, cost, cheapest, colourName, wireColour } = require('./goods.js');

const RESERVE = 2; // dollars that stay in hand, for wages and interest
const FACTORY_PRICE = 2; // what others pay for a container out of the factory store
const HARBOUR_PRICE = 4; // what ships pay for one out of the harbour store
const BID_EACH = 2; // dollars for each container of a lot

/** The action for an observation (ContainerObservation): `table` is what lies open, `own` what only this seat sees. */
function decide(seat, { table, own }) {
  // CHANGE HERE what is done in each phase.
  switch (table.phase) {
    case 'CONTAINER_PHASE_ACTION':
      return act(seat, table, own.cash);
    case 'CONTAINER_PHASE_BID':
      return bid(table, own.cash);
    default: // sales, ties, interest and seizures: the mildest action that is legal
      return mildest(seat, { table, own });
  }
}

/** One of the two actions of a turn. */
function act(seat, table, cash) {
  const board = table.boards[seat];
  const stock = listed(board.factory_store);
  const factories = board.factories.map(colourName).filter(Boolean);
  const make = factories.filter((colour) => table.supply[colour] > 0);
  make.length = Math.max(0, Math.min(make.length, 2 * factories.length - stock.length)); // what fits
  if (!table.produced && cash >= 1 && make.length > 0) {
    const store = [...stock, ...make.map((colour) => ({ price: FACTORY_PRICE, colour }))];
    return { produce: { make: toBag(make), factory_store: toStore(store) } };
  }

  const harbour = listed(board.harbour_store);
  for (const [seller, other] of table.boards.entries()) {
    if (seller === seat) continue;
    const take = cheapest(listed(other.factory_store), board.warehouses - harbour.length, cash - RESERVE);
    if (take.length > 0 && cost(take) < HARBOUR_PRICE * take.length) {
      const store = [...harbour, ...take.map(({ colour }) => ({ price: HARBOUR_PRICE, colour }))];
      return { buy: { seller, take: toStore(take), harbour_store: toStore(store) } };
    }
  }

  // CHANGE HERE: build factories and warehouses, re-price, sail to a harbour, load, sail to the island.
  return { pass: {} };
}

/** The sealed bid for the lot on the ship that has just reached the island. */
function bid(table, cash) {
  const lot = unpacked(table.boards[table.seat].cargo);
  return { bid: { amount: Math.max(0, Math.min(BID_EACH * lot.length, cash - RESERVE)) } };
}

/** The answer that is always legal: what the referee itself plays for a seat that does not answer. */
function mildest(seat, { table }) {
  const debtor = table.boards[table.seat];
  const island = unpacked(debtor.island);
  switch (table.phase) {
    case 'CONTAINER_PHASE_INTEREST':
      return { take_loan: {} };
    case 'CONTAINER_PHASE_SEIZE': {
      if (island.length > 0) return { seize: { island: toBag(island.slice(0, 1)) } };
      const harbour = listed(debtor.harbour_store).slice(0, 2);
      const factory = listed(debtor.factory_store).slice(0, 2 - harbour.length);
      return { seize: { harbour_store: toStore(harbour), factory_store: toStore(factory) } };
    }
    case 'CONTAINER_PHASE_ASSET':
      return { surrender: { asset: 'warehouse' } };
    case 'CONTAINER_PHASE_SEIZE_FACTORY':
      return { seize_factory: { colour: wireColour(colourName(debtor.factories[2])) } };
    case 'CONTAINER_PHASE_ACTION':
      return { pass: {} };
    case 'CONTAINER_PHASE_SALE':
      return { accept: { winner: table.auction.winners[0] } };
    default: // bids, also those in a tie
      return { bid: { amount: 0 } };
  }
}

module.exports = { decide, mildest };
