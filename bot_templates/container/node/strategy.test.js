// Tests of the strategy: `node --test` in this folder. No server is needed; `gavelport check .` plays whole matches.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { decide, mildest } = require('./strategy.js');

const NOTHING = { black: 0, white: 0, brown: 0, tan: 0, orange: 0 };

/** A store as the wire has it: prices are keys, every colour is there. */
function store(prices) {
  return { prices: Object.fromEntries(Object.entries(prices).map(([price, bag]) => [price, { ...NOTHING, ...bag }])) };
}

function board(changes = {}) {
  return {
    loans: 0,
    factories: ['CONTAINER_COLOUR_TAN', ...Array(3).fill('CONTAINER_COLOUR_UNSPECIFIED')],
    warehouses: 1,
    factory_store: store({}),
    harbour_store: store({}),
    ship: { place: 'sea', sea: {} },
    cargo: NOTHING,
    island: NOTHING,
    ...changes,
  };
}

function observation(phase, { table = {}, boards = [{}, {}, {}], own = {} } = {}) {
  const supply = { black: 11, white: 11, brown: 11, tan: 11, orange: 11 };
  return {
    table: { seat: 0, phase: `CONTAINER_PHASE_${phase}`, produced: false, supply, boards: boards.map(board), ...table },
    own: { cash: 20, card: 'C', ...own },
  };
}

test('it produces first, at its price', () => {
  assert.deepEqual(decide(0, observation('ACTION')), {
    produce: { make: { tan: 1 }, factory_store: { prices: { 2: { tan: 1 } } } },
  });
});

test('then it stocks its harbour, as far as there is room', () => {
  const boards = [{}, { factory_store: store({ 2: { black: 2 } }) }, {}];
  assert.deepEqual(decide(0, observation('ACTION', { boards, table: { produced: true } })), {
    buy: { seller: 1, take: { prices: { 2: { black: 1 } } }, harbour_store: { prices: { 4: { black: 1 } } } },
  });
});

test('with nothing to do it passes', () => {
  assert.deepEqual(decide(0, observation('ACTION', { table: { produced: true } })), { pass: {} });
});

test('a bid never exceeds the cash', () => {
  const boards = [{}, { cargo: { ...NOTHING, orange: 5 } }, {}];
  for (const cash of [0, 1, 2, 3, 20]) {
    const { amount } = decide(0, observation('BID', { boards, table: { seat: 1 }, own: { cash } })).bid;
    assert.ok(amount >= 0 && amount <= cash, `${amount} of ${cash}`);
  }
});

test('the mildest answer names what each phase asks for', () => {
  assert.deepEqual(mildest(0, observation('INTEREST')), { take_loan: {} });
  assert.deepEqual(mildest(0, observation('ASSET')), { surrender: { asset: 'warehouse' } });
  assert.deepEqual(mildest(0, observation('EXTRA_BID')), { bid: { amount: 0 } });
});
