// The world of Shipping, which never changes: docs/rules/shipping.md 5 to 7, by the names of the notation.
'use strict';

// What a container costs with 0 to 6 of them in the good's row, $M.
const PRICES = {
  grain: [150, 135, 120, 105, 90, 75, 60],
  coffee: [160, 145, 130, 115, 100, 85, 70],
  minerals: [170, 155, 140, 125, 110, 95, 80],
  textiles: [180, 165, 150, 135, 120, 105, 90],
  machinery: [220, 200, 180, 160, 140, 120, 100],
  electronics: [240, 220, 200, 180, 160, 140, 120],
};

// By port: the good that is made there, what a container sold brings above its price in $M, and the goods taken.
const CITIES = {
  san_francisco: { makes: 'grain', bonus: 90, takes: ['electronics', 'textiles', 'machinery'] },
  new_york: { makes: 'grain', bonus: 100, takes: ['coffee', 'machinery', 'electronics', 'textiles'] },
  houston: { makes: 'grain', bonus: 90, takes: ['coffee', 'minerals', 'machinery'] },
  santos: { makes: 'coffee', bonus: 100, takes: ['machinery', 'electronics', 'grain'] },
  buenos_aires: { makes: 'coffee', bonus: 120, takes: ['machinery', 'textiles', 'minerals'] },
  callao: { makes: 'coffee', bonus: 140, takes: ['electronics', 'grain'] },
  rotterdam: { makes: 'machinery', bonus: 100, takes: ['coffee', 'grain', 'electronics', 'textiles'] },
  hamburg: { makes: 'machinery', bonus: 120, takes: ['coffee', 'minerals', 'electronics'] },
  genoa: { makes: 'machinery', bonus: 90, takes: ['grain', 'textiles', 'minerals'] },
  lagos: { makes: 'minerals', bonus: 100, takes: ['grain', 'machinery', 'textiles'] },
  cape_town: { makes: 'minerals', bonus: 120, takes: ['machinery', 'electronics', 'coffee'] },
  mombasa: { makes: 'minerals', bonus: 120, takes: ['grain', 'textiles', 'machinery'] },
  mumbai: { makes: 'textiles', bonus: 100, takes: ['minerals', 'machinery', 'grain'] },
  dubai: { makes: 'textiles', bonus: 100, takes: ['electronics', 'machinery', 'coffee', 'grain'] },
  colombo: { makes: 'textiles', bonus: 90, takes: ['grain', 'minerals'] },
  shanghai: { makes: 'electronics', bonus: 100, takes: ['minerals', 'grain', 'machinery'] },
  yokohama: { makes: 'electronics', bonus: 120, takes: ['grain', 'coffee', 'minerals'] },
  singapore: { makes: 'electronics', bonus: 80, takes: ['coffee', 'textiles', 'minerals', 'machinery'] },
  sydney: { makes: null, bonus: 160, takes: ['electronics', 'coffee', 'textiles', 'machinery'] },
  fremantle: { makes: null, bonus: 150, takes: ['electronics', 'machinery', 'textiles'] },
};

// By space: the spaces next to it.
const NEXT = {};
for (const line of [
  'north_sea: rotterdam hamburg north_atlantic gibraltar',
  'north_atlantic: us_east_coast gibraltar',
  'us_east_coast: new_york caribbean',
  'gibraltar: west_med canary',
  'caribbean: houston south_atlantic panama_bay',
  'west_med: genoa east_med',
  'canary: gulf_guinea south_atlantic',
  'panama_bay: peru_coast baja',
  'east_med: red_sea',
  'red_sea: gulf_aden',
  'gulf_aden: dubai arabian_sea somali_basin',
  'arabian_sea: mumbai colombo bay_bengal',
  'somali_basin: mombasa cape_hope',
  'gulf_guinea: cape_hope lagos',
  'south_atlantic: cape_hope brazil_coast',
  'cape_hope: cape_town',
  'brazil_coast: santos buenos_aires cape_horn',
  'cape_horn: peru_coast',
  'peru_coast: callao',
  'baja: san_francisco arafura',
  'arafura: coral_sea philippine_sea java_sea',
  'coral_sea: sydney aus_bight',
  'aus_bight: bay_bengal fremantle',
  'philippine_sea: east_china_sea south_china_sea',
  'east_china_sea: shanghai yokohama south_china_sea',
  'south_china_sea: singapore java_sea',
  'java_sea: bay_bengal singapore',
  'bay_bengal: colombo',
]) {
  const [space, ...others] = line.split(/:? /);
  for (const other of others) {
    (NEXT[space] ??= []).push(other);
    (NEXT[other] ??= []).push(space);
  }
}

const CANALS = { panama: ['caribbean', 'panama_bay'], suez: ['east_med', 'red_sea'] };

/** The canal between two spaces: "panama", "suez" or null. */
function canalBetween(one, other) {
  return Object.keys(CANALS).find((canal) => CANALS[canal].includes(one) && CANALS[canal].includes(other)) ?? null;
}

/** The shortest way: the spaces entered, in order; [] where it is there, null where a closed canal leaves none. */
function way(from, to, closed = null) {
  const before = { [from]: null };
  const queue = [from];
  for (const at of queue) {
    if (at === to) break;
    if (at in CITIES && at !== from) continue; // a ship stops in a port
    for (const next of NEXT[at]) {
      const canal = canalBetween(at, next);
      if (next in before || (canal !== null && canal === closed)) continue;
      before[next] = at;
      queue.push(next);
    }
  }
  if (!(to in before)) return null;
  const path = [];
  for (let at = to; at !== from; at = before[at]) path.unshift(at);
  return path;
}

/** "SHIPPING_SPACE_NEW_YORK" -> "new_york"; likewise goods, ships, phases and regions. */
function nameOf(wire) {
  return wire.replace(/^SHIPPING_(SPACE|GOOD|SHIP_NAME|PHASE|REGION)_/, '').toLowerCase();
}

/** "new_york" -> "SHIPPING_SPACE_NEW_YORK". */
function wireSpace(name) {
  return `SHIPPING_SPACE_${name.toUpperCase()}`;
}

module.exports = { PRICES, CITIES, NEXT, CANALS, canalBetween, way, nameOf, wireSpace };
