// The strategy: a pure function from what the seat sees to an action. No memory, no chance.
//
// It trades along the whole way of a container, and looks for an action in this order:
//
//   1. with a good cargo make for the island, and land with the turn's second action: an auction ends the turn;
//   2. with room aboard sail where the most is to be gained, and load;
//   3. build a second factory, produce, and price to sell;
//   4. fill its own harbour from other seats' factory stores, for other ships; build warehouses for that.
//
// It values lots by its card, bids a share of that, and as a seller takes the money unless the lot is worth more at home.
'use strict';

const { COLOURS, listed, toStore, unpacked, toBag, cost, cheapest, colourName, wireColour } = require('./goods.js');

const FACTORY_PRICES = [0, 6, 9, 12]; // by slot
const WAREHOUSE_PRICES = [0, 4, 5, 6, 7];
const SHIP_ROOM = 5;
const CARDS = {
  // by falling value: $10, $5 or $10, $6, $4, $2
  A: ['black', 'brown', 'orange', 'tan', 'white'],
  B: ['brown', 'orange', 'tan', 'white', 'black'],
  C: ['orange', 'tan', 'white', 'black', 'brown'],
  D: ['tan', 'white', 'black', 'brown', 'orange'],
  E: ['white', 'black', 'brown', 'orange', 'tan'],
};

const RESERVE = 2; // dollars that stay in hand: union dues and interest of the turns to come
const FACTORIES = 2;
const WAREHOUSES = 2;
const FACTORY_PRICE = 2;
const HARBOUR_PRICE = 4;
const FREIGHT = 5; // what a container is hoped to bring at the island, the bank's half included
const GOOD_CARGO = 4;
const BID_SHARE = 0.6;
const HOPE = 0.75; // of a container's value on the card: some of what is won will be discarded

/** The action for an observation (ContainerObservation) of a seat that has to decide. */
function decide(seat, observation) {
  const view = seen(seat, observation);
  switch (view.phase) {
    case 'action':
      return wishes(view).next().value ?? { pass: {} };
    case 'bid':
      return { bid: { amount: bidFor(view, view.boards[view.table.seat].cargo) } };
    case 'sale':
      return sale(view);
    default: // ties, interest and seizures are rare: the mildest answer does
      return mildest(seat, observation);
  }
}

/** What the strategy looks at, out of an observation: names instead of wire numbers, lists instead of maps. */
function seen(seat, { table, own }) {
  const boards = table.boards.map((board) => ({
    ...board,
    factories: board.factories.map(colourName),
    factoryStore: listed(board.factory_store),
    harbourStore: listed(board.harbour_store),
    cargo: unpacked(board.cargo),
    island: unpacked(board.island),
  }));
  const phase = table.phase.replace('CONTAINER_PHASE_', '').toLowerCase();
  return { seat, table, phase, boards, board: boards[seat], cash: own.cash, card: own.card, spare: own.cash - RESERVE };
}

/** What is worth an action now, best first. */
function* wishes(view) {
  const { table, board, cash, spare } = view;
  if (board.loans > 0 && spare >= 10 && table.loans_repaid < 2) yield { repay_loan: {} };

  const { place } = board.ship;
  const goal = bestPurchase(view, (other) => other.harbourStore, SHIP_ROOM - board.cargo.length, FREIGHT);
  if (board.cargo.length >= GOOD_CARGO || (board.cargo.length > 0 && !goal)) {
    if (place !== 'sea') yield sail({ sea: {} });
    else if (table.actions_left === 1) yield sail({ island: {} });
  } else if (goal) {
    if (place === 'harbour' && board.ship.harbour === goal.seller) yield { load: { take: toStore(goal.take) } };
    else yield sail(place === 'sea' ? { harbour: goal.seller } : { sea: {} }, place === 'sea' ? goal.take : []);
  }

  const made = board.factories.filter(Boolean);
  if (made.length < FACTORIES && spare >= FACTORY_PRICES[made.length]) {
    yield { buy_factory: { colour: wireColour(mostLeft(table.supply, made)) } };
  }

  const make = made.filter((colour) => table.supply[colour] > 0);
  make.length = Math.min(make.length, 2 * made.length - board.factoryStore.length);
  if (!table.produced && cash >= 1 && make.length > 0) {
    const store = [...board.factoryStore, ...make.map((colour) => ({ price: FACTORY_PRICE, colour }))];
    yield { produce: { make: toBag(make), factory_store: toStore(store) } };
  }

  const room = board.warehouses - board.harbourStore.length;
  const bought = bestPurchase(view, (other) => other.factoryStore, room, HARBOUR_PRICE);
  if (bought) {
    const store = [...board.harbourStore, ...bought.take].map(({ colour }) => ({ price: HARBOUR_PRICE, colour }));
    yield { buy: { seller: bought.seller, take: toStore(bought.take), harbour_store: toStore(store) } };
  }

  if (board.warehouses < WAREHOUSES && spare >= WAREHOUSE_PRICES[board.warehouses] + 4) yield { buy_warehouse: {} };

  if (room === 0 && board.harbourStore.some(({ price }) => price > 2)) {
    const store = board.harbourStore.map(({ price, colour }) => ({ price: Math.max(2, price - 1), colour }));
    yield { reprice: { harbour_store: toStore(store) } };
  }
  if (place !== 'sea') yield sail({ sea: {} }); // wait at sea, from where every harbour is one action away
}

function sail(to, take = []) {
  return { sail: { to, take: toStore(take) } };
}

/** The seller among the others, and what to take from its store, with the greatest gain at a price hoped for. */
function bestPurchase({ seat, boards, spare }, storeOf, room, hoped) {
  let best = null;
  boards.forEach((other, seller) => {
    if (seller === seat) return;
    const take = cheapest(storeOf(other), room, spare);
    const gain = hoped * take.length - cost(take);
    if (gain > (best?.gain ?? 0)) best = { seller, take, gain };
  });
  return best;
}

/** The colour, not yet made here, of which the supply has most. */
function mostLeft(supply, made) {
  const choice = COLOURS.filter((colour) => !made.includes(colour));
  return choice.reduce((best, colour) => (supply[colour] > supply[best] ? colour : best));
}

function bidFor(view, lot) {
  return Math.max(0, Math.min(Math.floor(BID_SHARE * worth(view, lot)), view.spare));
}

/** What a lot is worth on the own island: what it adds today and what it may add yet, half each. */
function worth({ board, card }, lot) {
  const today = islandValue([...board.island, ...lot], card) - islandValue(board.island, card);
  const values = cardValues(card, true);
  const hoped = HOPE * lot.reduce((sum, colour) => sum + values[colour], 0);
  return (today + hoped) / 2;
}

/** Dollars a colour; `whole` tells whether the island has all five. */
function cardValues(card, whole) {
  const [ten, special, six, four, two] = CARDS[card];
  return { [ten]: 10, [special]: whole ? 10 : 5, [six]: 6, [four]: 4, [two]: 2 };
}

/** What an island area (a list of colours) is worth at the end, the most frequent colour discarded. */
function islandValue(island, card) {
  if (island.length === 0) return 0;
  const counts = COLOURS.map((colour) => island.filter((other) => other === colour).length);
  const values = cardValues(card, counts.every(Boolean));
  const special = CARDS[card][1];
  const top = Math.max(...counts);
  const most = COLOURS.filter((colour, index) => counts[index] === top);
  const discarded = most.includes(special) ? special : most.reduce((a, b) => (values[b] < values[a] ? b : a));
  return island.reduce((sum, colour) => sum + (colour === discarded ? 0 : values[colour]), 0);
}

/** Take twice the bid, from buyer and bank, or keep the lot for one bid where it is worth that much more. */
function sale(view) {
  const { auction } = view.table;
  const winner = auction.winners[0];
  const bid = (auction.bids[winner].amount ?? 0) + (auction.extra[winner].amount ?? 0);
  if (bid <= view.cash && worth(view, view.board.cargo) - bid > 2 * bid) return { reject: {} };
  return { accept: { winner } };
}

/** The answer that is always legal: what the referee itself plays for a seat that does not answer. */
function mildest(seat, observation) {
  const { table, phase, boards } = seen(seat, observation);
  const debtor = boards[table.seat];
  switch (phase) {
    case 'interest':
      return { take_loan: {} };
    case 'seize': {
      if (debtor.island.length > 0) return { seize: { island: toBag(debtor.island.slice(0, 1)) } };
      const harbour = debtor.harbourStore.slice(0, 2);
      const factory = debtor.factoryStore.slice(0, 2 - harbour.length);
      return { seize: { harbour_store: toStore(harbour), factory_store: toStore(factory) } };
    }
    case 'asset':
      return { surrender: { asset: 'warehouse' } };
    case 'seize_factory':
      return { seize_factory: { colour: wireColour(debtor.factories[2]) } }; // asked only if both dear slots are taken
    case 'action':
      return { pass: {} };
    case 'sale':
      return { accept: { winner: table.auction.winners[0] } };
    default:
      return { bid: { amount: 0 } };
  }
}

module.exports = { decide, mildest, worth, islandValue };
