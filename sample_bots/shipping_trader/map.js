// What does not change in a match: prices, cities, and the ways between them (shipping.md 5 and 7).
'use strict';

/** By good: the price that a row of the Terminal shows with 0 to 6 containers, $M. */
const PRICES = {
  grain: [150, 135, 120, 105, 90, 75, 60],
  coffee: [160, 145, 130, 115, 100, 85, 70],
  minerals: [170, 155, 140, 125, 110, 95, 80],
  textiles: [180, 165, 150, 135, 120, 105, 90],
  machinery: [220, 200, 180, 160, 140, 120, 100],
  electronics: [240, 220, 200, 180, 160, 140, 120],
};
const GOODS = Object.keys(PRICES);

/** By port: the good that is bought there, what a sale brings beyond the price ($M), and what can be sold there. */
const CITIES = {
  san_francisco: { makes: 'grain', bonus: 90, takes: ['textiles', 'machinery', 'electronics'] },
  new_york: { makes: 'grain', bonus: 100, takes: ['coffee', 'textiles', 'machinery', 'electronics'] },
  houston: { makes: 'grain', bonus: 90, takes: ['coffee', 'minerals', 'machinery'] },
  santos: { makes: 'coffee', bonus: 100, takes: ['grain', 'machinery', 'electronics'] },
  buenos_aires: { makes: 'coffee', bonus: 120, takes: ['minerals', 'textiles', 'machinery'] },
  callao: { makes: 'coffee', bonus: 140, takes: ['grain', 'electronics'] },
  rotterdam: { makes: 'machinery', bonus: 100, takes: ['grain', 'coffee', 'textiles', 'electronics'] },
  hamburg: { makes: 'machinery', bonus: 120, takes: ['coffee', 'minerals', 'electronics'] },
  genoa: { makes: 'machinery', bonus: 90, takes: ['grain', 'minerals', 'textiles'] },
  lagos: { makes: 'minerals', bonus: 100, takes: ['grain', 'textiles', 'machinery'] },
  cape_town: { makes: 'minerals', bonus: 120, takes: ['coffee', 'machinery', 'electronics'] },
  mombasa: { makes: 'minerals', bonus: 120, takes: ['grain', 'textiles', 'machinery'] },
  mumbai: { makes: 'textiles', bonus: 100, takes: ['grain', 'minerals', 'machinery'] },
  dubai: { makes: 'textiles', bonus: 100, takes: ['grain', 'coffee', 'machinery', 'electronics'] },
  colombo: { makes: 'textiles', bonus: 90, takes: ['grain', 'minerals'] },
  shanghai: { makes: 'electronics', bonus: 100, takes: ['grain', 'minerals', 'machinery'] },
  yokohama: { makes: 'electronics', bonus: 120, takes: ['grain', 'coffee', 'minerals'] },
  singapore: { makes: 'electronics', bonus: 80, takes: ['coffee', 'minerals', 'textiles', 'machinery'] },
  sydney: { makes: null, bonus: 160, takes: ['coffee', 'textiles', 'machinery', 'electronics'] },
  fremantle: { makes: null, bonus: 150, takes: ['textiles', 'machinery', 'electronics'] },
};

/** By sea space: the spaces beside it, ports first. */
const SEAS = {
  north_sea: ['rotterdam', 'hamburg', 'north_atlantic', 'gibraltar'],
  north_atlantic: ['north_sea', 'us_east_coast', 'gibraltar'],
  us_east_coast: ['new_york', 'north_atlantic', 'caribbean'],
  gibraltar: ['north_sea', 'west_med', 'canary', 'north_atlantic'],
  caribbean: ['houston', 'us_east_coast', 'south_atlantic', 'panama_bay'],
  west_med: ['genoa', 'gibraltar', 'east_med'],
  canary: ['gibraltar', 'gulf_guinea', 'south_atlantic'],
  panama_bay: ['peru_coast', 'baja', 'caribbean'],
  east_med: ['west_med', 'red_sea'],
  red_sea: ['gulf_aden', 'east_med'],
  gulf_aden: ['dubai', 'red_sea', 'arabian_sea', 'somali_basin'],
  arabian_sea: ['mumbai', 'colombo', 'gulf_aden', 'bay_bengal'],
  somali_basin: ['mombasa', 'gulf_aden', 'cape_hope'],
  gulf_guinea: ['lagos', 'cape_hope', 'canary'],
  south_atlantic: ['caribbean', 'cape_hope', 'canary', 'brazil_coast'],
  cape_hope: ['cape_town', 'somali_basin', 'gulf_guinea', 'south_atlantic'],
  brazil_coast: ['santos', 'buenos_aires', 'south_atlantic', 'cape_horn'],
  cape_horn: ['brazil_coast', 'peru_coast'],
  peru_coast: ['callao', 'cape_horn', 'panama_bay'],
  baja: ['san_francisco', 'panama_bay', 'arafura'],
  arafura: ['coral_sea', 'philippine_sea', 'java_sea', 'baja'],
  coral_sea: ['sydney', 'arafura', 'aus_bight'],
  aus_bight: ['fremantle', 'bay_bengal', 'coral_sea'],
  philippine_sea: ['arafura', 'east_china_sea', 'south_china_sea'],
  east_china_sea: ['shanghai', 'yokohama', 'philippine_sea', 'south_china_sea'],
  south_china_sea: ['singapore', 'philippine_sea', 'east_china_sea', 'java_sea'],
  java_sea: ['singapore', 'bay_bengal', 'arafura', 'south_china_sea'],
  bay_bengal: ['colombo', 'arabian_sea', 'java_sea', 'aus_bight'],
};
const CANALS = { panama: ['caribbean', 'panama_bay'], suez: ['east_med', 'red_sea'] };

const known = new Map();

/** By space: the shortest way there from a space, as { path, tolls }, the canal `closed` (or null) left out. */
function waysFrom(at, closed) {
  const key = `${at} ${closed}`;
  if (!known.has(key)) known.set(key, search(at, closed));
  return known.get(key);
}

function search(at, closed) {
  const ways = new Map([[at, { path: [], tolls: 0 }]]);
  let edge = [at];
  while (edge.length > 0) {
    const found = new Map();
    for (const here of edge) {
      if (here in CITIES && here !== at) continue; // a port ends every way
      for (const to of beside(here)) {
        const canal = canalBetween(here, to);
        if (ways.has(to) || (canal && canal === closed)) continue;
        const { path, tolls } = ways.get(here);
        const way = { path: [...path, to], tolls: tolls + (canal ? 1 : 0) };
        if (!found.has(to) || way.tolls < found.get(to).tolls) found.set(to, way);
      }
    }
    for (const [to, way] of found) ways.set(to, way);
    edge = [...found.keys()];
  }
  return ways;
}

function beside(space) {
  return SEAS[space] ?? Object.keys(SEAS).filter((sea) => SEAS[sea].includes(space));
}

function canalBetween(a, b) {
  return Object.keys(CANALS).find((canal) => CANALS[canal].includes(a) && CANALS[canal].includes(b)) ?? null;
}

module.exports = { PRICES, GOODS, CITIES, SEAS, CANALS, waysFrom };
