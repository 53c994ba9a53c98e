// Containers: the wire's bags and stores, and the plain list of single containers that a strategy wants.
'use strict';

const COLOURS = ['black', 'white', 'brown', 'tan', 'orange'];

/** A store as a list of { price, colour }, one entry a container, cheapest first, then in colour order. */
function listed(store) {
  const goods = [];
  for (let price = 1; price <= 6; price += 1) {
    const bag = store.prices[price];
    if (bag) goods.push(...unpacked(bag).map((colour) => ({ price, colour })));
  }
  return goods;
}

/** A list of { price, colour } as a store of the wire. */
function toStore(goods) {
  const prices = {};
  for (const { price, colour } of goods) {
    prices[price] ??= {};
    prices[price][colour] = (prices[price][colour] ?? 0) + 1;
  }
  return { prices };
}

/** A bag as a list of colours, one entry a container. */
function unpacked(bag) {
  return COLOURS.flatMap((colour) => Array(bag[colour]).fill(colour));
}

/** A list of colours as a bag of the wire. */
function toBag(colours) {
  const bag = {};
  for (const colour of colours) bag[colour] = (bag[colour] ?? 0) + 1;
  return bag;
}

/** What a list of { price, colour } costs. */
function cost(goods) {
  return goods.reduce((sum, { price }) => sum + price, 0);
}

/** The cheapest of a list of { price, colour }, within a number and a sum of money. */
function cheapest(goods, most, cash) {
  const taken = [];
  for (const container of goods) {
    if (taken.length >= most || container.price > cash) break;
    cash -= container.price;
    taken.push(container);
  }
  return taken;
}

/** CONTAINER_COLOUR_TAN -> "tan"; null for a slot without a factory. */
function colourName(wireColour) {
  const name = wireColour.replace('CONTAINER_COLOUR_', '').toLowerCase();
  return name === 'unspecified' ? null : name;
}

/** "tan" -> CONTAINER_COLOUR_TAN. */
function wireColour(name) {
  return `CONTAINER_COLOUR_${name.toUpperCase()}`;
}

module.exports = { COLOURS, listed, toStore, unpacked, toBag, cost, cheapest, colourName, wireColour };
