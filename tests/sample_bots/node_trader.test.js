// The parts of node_trader that need no connection. Run by `node --test`; test_node_bot.py calls that.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');

const BOT = '../../sample_bots/node_trader';
const { COLOURS, listed, toStore, unpacked, toBag, cost, cheapest, colourName, wireColour } = require(`${BOT}/goods.js`);
const { decide, mildest, islandValue, worth } = require(`${BOT}/strategy.js`);

const NOTHING = { black: 0, white: 0, brown: 0, tan: 0, orange: 0 };
const EMPTY = { prices: {} };

/** A store as proto-loader reads it: keys are strings, every colour is there. */
function store(prices) {
  return { prices: Object.fromEntries(Object.entries(prices).map(([price, bag]) => [price, { ...NOTHING, ...bag }])) };
}

function board(changes = {}) {
  return {
    loans: 0,
    factories: ['CONTAINER_COLOUR_TAN', ...Array(3).fill('CONTAINER_COLOUR_UNSPECIFIED')],
    warehouses: 1,
    factory_store: EMPTY,
    harbour_store: EMPTY,
    ship: { place: 'sea', sea: {} },
    cargo: NOTHING,
    island: NOTHING,
    ...changes,
  };
}

function observation(phase, { own = {}, table = {}, boards = [{}, {}, {}] } = {}) {
  return {
    table: {
      seat: 0,
      phase: `CONTAINER_PHASE_${phase.toUpperCase()}`,
      actions_left: 2,
      produced: false,
      loans_repaid: 0,
      supply: { black: 11, white: 11, brown: 11, tan: 11, orange: 11 },
      auction: null,
      boards: boards.map(board),
      ...table,
    },
    own: { cash: 20, card: 'C', ...own },
  };
}

test('stores and bags come back as they were', () => {
  const goods = [
    { price: 1, colour: 'orange' },
    { price: 2, colour: 'black' },
    { price: 2, colour: 'tan' },
    { price: 2, colour: 'tan' },
  ];
  assert.deepEqual(toStore(goods), { prices: { 1: { orange: 1 }, 2: { black: 1, tan: 2 } } });
  assert.deepEqual(listed(store({ 2: { tan: 2, black: 1 }, 1: { orange: 1 } })), goods);
  assert.equal(cost(goods), 7);
  assert.deepEqual(unpacked({ ...NOTHING, tan: 2, white: 1 }), ['white', 'tan', 'tan']);
  assert.deepEqual(toBag(['white', 'tan', 'tan']), { white: 1, tan: 2 });
  for (const colour of COLOURS) assert.equal(colourName(wireColour(colour)), colour);
  assert.equal(colourName('CONTAINER_COLOUR_UNSPECIFIED'), null);
});

test('the cheapest are taken within room and cash', () => {
  const goods = listed(store({ 2: { tan: 2 }, 4: { black: 2 } }));
  assert.deepEqual(cheapest(goods, 3, 100).map(({ price }) => price), [2, 2, 4]);
  assert.deepEqual(cheapest(goods, 5, 7).map(({ price }) => price), [2, 2]);
  assert.deepEqual(cheapest(goods, 0, 100), []);
});

test('an island is valued as in the worked example of the rules, 8.6', () => {
  const island = unpacked({ orange: 4, brown: 4, tan: 3, white: 2, black: 2 });
  assert.equal(islandValue(island, 'C'), 90);
});

test('an island without all five colours values the special colour at $5, and it goes first in a tie, 8.3', () => {
  assert.equal(islandValue([], 'A'), 0);
  assert.equal(islandValue(unpacked({ ...NOTHING, black: 2, brown: 1 }), 'A'), 5);
  assert.equal(islandValue(unpacked({ ...NOTHING, orange: 2, tan: 2 }), 'C'), 20);
});

test('a lot of the dear colour is worth more than one of the cheap', () => {
  const view = { board: { island: [] }, card: 'C' };
  assert.ok(worth(view, ['orange', 'orange', 'tan']) > worth(view, ['brown', 'brown', 'tan']));
});

test('with a good cargo it lands with the second action, not with the first', () => {
  const boards = [{ cargo: { ...NOTHING, tan: 5 } }, {}, {}];
  const first = decide(0, observation('action', { boards }));
  assert.ok(!first.sail, JSON.stringify(first));
  const second = decide(0, observation('action', { boards, table: { actions_left: 1 } }));
  assert.deepEqual(second.sail.to, { island: {} });
});

test('from the island it goes to sea first, and takes nothing there', () => {
  const boards = [{ ship: { place: 'island', island: {} } }, { harbour_store: store({ 3: { tan: 1 } }) }, {}];
  assert.deepEqual(decide(0, observation('action', { boards })), { sail: { to: { sea: {} }, take: EMPTY } });
});

test('it buys no more than fits and than it can pay', () => {
  const boards = [{}, {}, { harbour_store: store({ 2: { tan: 3 }, 4: { black: 3 } }) }];
  const rich = decide(0, observation('action', { boards }));
  assert.deepEqual(rich.sail.to, { harbour: 2 });
  assert.deepEqual(rich.sail.take, { prices: { 2: { tan: 3 }, 4: { black: 2 } } });
  const poor = decide(0, observation('action', { boards, own: { cash: 7 } }));
  assert.deepEqual(poor.sail.take, { prices: { 2: { tan: 2 } } });
});

test('it makes what fits into the factory store, and only once a turn', () => {
  const factories = ['TAN', 'BLACK', 'UNSPECIFIED', 'UNSPECIFIED'].map((name) => `CONTAINER_COLOUR_${name}`);
  const boards = [{ factories, factory_store: store({ 2: { tan: 3 } }) }, {}, {}];
  const { produce } = decide(0, observation('action', { boards }));
  assert.deepEqual(produce, { make: { tan: 1 }, factory_store: { prices: { 2: { tan: 4 } } } });
  assert.ok(!decide(0, observation('action', { boards, table: { produced: true } })).produce);
});

test('as a seller it takes the money, and keeps a lot that is worth more at home if it can pay', () => {
  const boards = [{ cargo: { ...NOTHING, orange: 3, tan: 1 }, island: { ...NOTHING, brown: 5 } }, {}, {}];
  const bids = (...amounts) => amounts.map((amount) => ({ amount }));
  const auction = { bids: bids(undefined, 4, 3), extra: bids(undefined, undefined, undefined), winners: [1] };
  assert.deepEqual(decide(0, observation('sale', { boards, table: { auction } })), { reject: {} });
  assert.deepEqual(decide(0, observation('sale', { boards, table: { auction }, own: { cash: 3 } })), {
    accept: { winner: 1 },
  });
  auction.bids = bids(undefined, 15, 3);
  assert.deepEqual(decide(0, observation('sale', { boards, table: { auction } })), { accept: { winner: 1 } });
});

test('a bid never exceeds the cash', () => {
  const boards = [{}, { cargo: { ...NOTHING, orange: 5 } }, {}];
  for (const cash of [0, 1, 2, 3, 20]) {
    const { bid } = decide(0, observation('bid', { boards, table: { seat: 1 }, own: { cash } }));
    assert.ok(bid.amount >= 0 && bid.amount <= cash, `${bid.amount} of ${cash}`);
  }
});

test('a seizure takes from the island, else from the two stores, cheapest first, 3.3', () => {
  const table = { seat: 1 };
  const island = [{}, { island: { ...NOTHING, white: 1, tan: 2 } }, {}];
  assert.deepEqual(mildest(0, observation('seize', { table, boards: island })), { seize: { island: { white: 1 } } });
  const stores = [{}, { harbour_store: store({ 5: { tan: 1 } }), factory_store: store({ 3: { tan: 1 }, 2: { black: 1 } }) }, {}];
  assert.deepEqual(mildest(0, observation('seize', { table, boards: stores })), {
    seize: { harbour_store: { prices: { 5: { tan: 1 } } }, factory_store: { prices: { 2: { black: 1 } } } },
  });
});

test('the mildest answer names what each phase asks for', () => {
  assert.deepEqual(mildest(0, observation('interest')), { take_loan: {} });
  assert.deepEqual(mildest(0, observation('asset')), { surrender: { asset: 'warehouse' } });
  assert.deepEqual(mildest(0, observation('action')), { pass: {} });
  assert.deepEqual(mildest(0, observation('extra_bid')), { bid: { amount: 0 } });
});

test('the .proto files are looked for where the referee says, and if they are not there, elsewhere', () => {
  const { protoFolder } = require(`${BOT}/client.js`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'protos-'));
  fs.mkdirSync(path.join(folder, 'gavelport/v1'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'gavelport/v1/referee.proto'), '');
  assert.equal(protoFolder({ GAVELPORT_PROTO_DIR: folder }), folder);
  fs.rmSync(folder, { recursive: true });
  assert.notEqual(protoFolder({ GAVELPORT_PROTO_DIR: folder }), folder);
});
