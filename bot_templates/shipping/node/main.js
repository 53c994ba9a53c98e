// my_bot: a first bot for Shipping on Node. It plays legally as it stands.
//
//   main.js      reads the environment and joins the two below
//   strategy.js  the game: CHANGE HERE what the bot does
//   client.js    the connection; nothing to change for another strategy
//   map.js       the map and the prices
//   proto/       the messages
'use strict';

const { version } = require('./package.json');
const { play } = require('./client.js');
const { decide, mildest } = require('./strategy.js');

const bot = {
  version,
  games: ['shipping@1'],
  maxMatches: 1,
  decide: ({ start, decision }) => {
    return { shipping: decide(start.seat, decision.observation.shipping, start.options.shipping.years) };
  },
  // A refused action is a slip of the strategy: stderr has the reason, and the mildest action is taken instead.
  refused: ({ start, decision }) => ({ shipping: mildest(start.seat, decision.observation.shipping) }),
  end: (match, end) => console.error(`${match.id}: rank ${end.ranks[match.start.seat]} of ${end.ranks.length}`),
};

const { GAVELPORT_TARGET: target, GAVELPORT_TOKEN: token } = process.env;
if (!target || !token) {
  console.error('set GAVELPORT_TARGET (host:port or unix:path) and GAVELPORT_TOKEN; a tournament does so');
  process.exit(2);
}
play({ target, token, bot }).catch((error) => {
  console.error(error);
  process.exit(1);
});
