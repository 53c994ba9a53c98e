// shipping_trader: a sample bot in JavaScript that needs no Python, only grpc-js and the .proto files.
//
//   main.js      reads the environment and joins the two
//   client.js    the connection: knows the protocol, not the game; the same file as in node_trader
//   strategy.js  the game: a pure function from an observation to an action
//   map.js       cities, prices, ways over the sea
//
// Run it with GAVELPORT_TARGET (host:port or unix:path) and GAVELPORT_TOKEN, as the referee does.
'use strict';

const { version } = require('./package.json');
const { play } = require('./client.js');
const { decide, mildest } = require('./strategy.js');

const bot = {
  version,
  games: ['shipping@1'],
  maxMatches: 16,
  decide: ({ start, decision }) => ({
    shipping: decide(start.seat, start.options.shipping.years, decision.observation.shipping),
  }),
  // The strategy keeps the rules by itself, so a refusal is a bug of it: the log has the reason, the match goes on.
  refused: ({ start, decision }) => ({ shipping: mildest(start.seat, decision.observation.shipping) }),
  end: (match, end) => console.error(`${match.id}: rank ${end.ranks[match.start.seat]} of ${end.ranks.length}`),
};

const { GAVELPORT_TARGET: target, GAVELPORT_TOKEN: token } = process.env;
if (!target || !token) {
  console.error('shipping_trader: set GAVELPORT_TARGET (host:port or unix:path) and GAVELPORT_TOKEN');
  process.exit(2);
}
play({ target, token, bot }).catch((error) => {
  console.error(error);
  process.exit(1);
});
