// node_trader: a sample bot in JavaScript that needs no Python, only grpc-js and the .proto files.
//
//   main.js      reads the environment and joins the two
//   client.js    the connection: knows the protocol, not the game
//   strategy.js  the game: a pure function from an observation to an action
//   goods.js     containers in bags and stores, as the wire writes them and as a strategy wants them
//
// Run it with GAVELPORT_TARGET (host:port or unix:path) and GAVELPORT_TOKEN, as the referee does.
'use strict';

const { version } = require('./package.json');
const { play } = require('./client.js');
const { decide, mildest } = require('./strategy.js');

const bot = {
  version,
  games: ['container@1'],
  maxMatches: 16,
  decide: ({ start, decision }) => ({ container: decide(start.seat, decision.observation.container) }),
  // The strategy keeps the rules by itself, so a refusal is a bug of it: the log has the reason, the match goes on.
  refused: ({ start, decision }) => ({ container: mildest(start.seat, decision.observation.container) }),
  end: (match, end) => console.error(`${match.id}: rank ${end.ranks[match.start.seat]} of ${end.ranks.length}`),
};

const { GAVELPORT_TARGET: target, GAVELPORT_TOKEN: token } = process.env;
if (!target || !token) {
  console.error('node_trader: set GAVELPORT_TARGET (host:port or unix:path) and GAVELPORT_TOKEN');
  process.exit(2);
}
play({ target, token, bot }).catch((error) => {
  console.error(error);
  process.exit(1);
});
