// Tests of the strategy: `node --test` in this folder. No server is needed; `gavelport check .` plays whole matches.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { decide, mildest } = require('./strategy.js');
const { CITIES, waysFrom } = require('./map.js');

const YEARS = 4;

function wireSpace(name) {
  return `SHIPPING_SPACE_${name.toUpperCase()}`;
}

/** A ship as the wire has it. */
function ship(name, at, { cargo = [], moved = false } = {}) {
  return { name: `SHIPPING_SHIP_NAME_${name}`, at: wireSpace(at), cargo, moved };
}

function board(changes = {}) {
  const ships = [ship('S1', 'rotterdam')];
  return { cash: 600, stock: 100, home: wireSpace('rotterdam'), ships, factories: [], bankrupt: 0, ...changes };
}

function observation(boards, changes = {}) {
  const row = { owners: [-1, -1, -1] };
  const goods = ['grain', 'coffee', 'minerals', 'textiles', 'machinery', 'electronics'];
  const terminal = Object.fromEntries(goods.map((good) => [good, row]));
  const table = { year: 1, quarter: 1, seat: 0, phase: 'SHIPPING_PHASE_TURN', ap: 2, terminal, news: [], ...changes };
  return { table: { ...table, boards: boards.map(board) }, own: { hand: { orders: [1] } } };
}

test('it buys where it stands, sails with what it has, and sells where it is dear', () => {
  const cargo = ['SHIPPING_GOOD_MACHINERY'];
  const start = decide(0, observation([{}, { home: wireSpace('santos') }]), YEARS);
  assert.deepEqual(start, { buy: { ship: 'SHIPPING_SHIP_NAME_S1', count: 1 } });

  const loaded = { ships: [ship('S1', 'rotterdam', { cargo })] };
  const { path } = decide(0, observation([loaded, {}]), YEARS).move;
  assert.equal(path.length, 3);
  assert.equal(path[0], wireSpace('north_sea'));

  const there = { ships: [ship('S1', 'fremantle', { cargo })] };
  assert.deepEqual(decide(0, observation([there, {}]), YEARS), {
    sell: { ship: 'SHIPPING_SHIP_NAME_S1', good: 'SHIPPING_GOOD_MACHINERY' },
  });
});

test('with its ships on their way it grows, then ends the turn', () => {
  const away = { ships: [ship('S1', 'north_sea', { moved: true })] };
  assert.deepEqual(decide(0, observation([away, {}]), YEARS), { buy_ship: { kind: 'small' } });
  assert.deepEqual(decide(0, observation([away, {}], { ap: 0 }), YEARS), { end_turn: {} });
  assert.deepEqual(decide(0, observation([{ ...away, cash: 2000 }, {}], { year: YEARS }), YEARS), { buy_share: {} });
});

test('it waits where the dues of its way are more than its cash', () => {
  const loaded = { ships: [ship('S1', 'rotterdam', { cargo: ['SHIPPING_GOOD_MACHINERY'] })] };
  const homes = Object.keys(CITIES).map((city) => ({ home: wireSpace(city) }));
  assert.deepEqual(decide(0, observation([{ ...loaded, cash: 10 }, ...homes]), YEARS), { end_turn: {} });
  assert.ok(decide(0, observation([{ ...loaded, cash: 60 }, ...homes]), YEARS).move);
});

test('every port can be reached from every other, also while a canal is closed', () => {
  for (const closed of [null, 'suez', 'panama']) {
    for (const from of Object.keys(CITIES)) {
      const ways = waysFrom(from, closed);
      assert.deepEqual(Object.keys(CITIES).filter((to) => !ways.has(to)), []);
    }
  }
});

test('the mildest answer sells a share, then ships, then factories', () => {
  const raise = (changes) => mildest(0, observation([changes, {}], { phase: 'SHIPPING_PHASE_RAISE' }));
  assert.deepEqual(raise({}), { sell_asset: { asset: 'share' } });
  const fleet = { stock: 60, ships: [ship('S1', 'genoa'), ship('S2', 'genoa'), ship('L1', 'genoa')] };
  assert.deepEqual(raise(fleet), { sell_asset: { asset: 'ship', ship: 'SHIPPING_SHIP_NAME_S2' } });
  const factories = [{ region: 'SHIPPING_REGION_EUROPE', built: 1, marked: 0 }];
  assert.deepEqual(raise({ stock: 60, ships: [], factories }), {
    sell_asset: { asset: 'factory', region: 'SHIPPING_REGION_EUROPE' },
  });
});
