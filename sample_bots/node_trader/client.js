// The connection to the referee: one stream, Hello, heartbeats, the way back after a lost stream, refusals.
//
// It knows nothing of the game. A bot hands it three functions (see `play`) and gets one plain object a match, which
// it may use as its memory. Messages are those of gavelport/v1/referee.proto, read at run time; no code is generated.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');

const PROTOCOL_VERSION = 1;
const HEARTBEAT_MS = 5_000;
const SILENCE_MS = 20_000; // nothing heard for so long, heartbeats included: the stream is taken for lost
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;
const STEADY_MS = 5_000; // a stream that lasted so long was a good one
const GIVE_UP_MS = 60_000; // without a good stream in all that time there is no referee to return to
const GIVE_UP_KNOWN_MS = 600_000; // one that was there before may be started anew, which takes its time

// Where trying again cannot help: the token is wrong, or the referee and this bot do not speak the same protocol.
const FINAL = new Set([
  grpc.status.INVALID_ARGUMENT,
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.FAILED_PRECONDITION,
  grpc.status.UNIMPLEMENTED,
]);

/** The folder that holds gavelport/v1/*.proto: named by the referee, shipped with the bot, or that of the checkout. */
function protoFolder(environment = process.env) {
  const places = [environment.GAVELPORT_PROTO_DIR, path.join(__dirname, 'proto'), path.join(__dirname, '../../proto')];
  const found = places.find((place) => place && fs.existsSync(path.join(place, 'gavelport/v1/referee.proto')));
  if (!found) {
    throw new Error(
      `gavelport/v1/referee.proto is in none of: ${places.filter(Boolean).join(', ')}; ` +
        'set GAVELPORT_PROTO_DIR, or copy the .proto files into the bot as proto/gavelport/v1/',
    );
  }
  return found;
}

function loadService(folder) {
  const definition = protoLoader.loadSync('gavelport/v1/referee.proto', {
    includeDirs: [folder],
    keepCase: true,
    enums: String,
    longs: Number,
    defaults: true,
    oneofs: true, // each oneof gets a field of its name that tells which one is set
  });
  return grpc.loadPackageDefinition(definition).gavelport.v1.RefereeService;
}

/** Where the referee is, and how to reach it: plain on this machine, by TLS elsewhere and behind `tls:`. */
function reach(target, environment = process.env) {
  const address = target.replace(/^tls:/, '');
  const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  const isHere = address.startsWith('unix:') || host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
  if (isHere && address === target) return [address, grpc.credentials.createInsecure()];
  const pem = (name) => (environment[name] ? fs.readFileSync(environment[name]) : null);
  return [address, grpc.credentials.createSsl(pem('GAVELPORT_CA'), pem('GAVELPORT_KEY'), pem('GAVELPORT_CERT'))];
}

/**
 * Play whatever the referee sends until it closes the stream. Resolves then; rejects where playing on is impossible.
 *
 * `bot` has: version, games, maxMatches, decide(match) -> GameAction, refused(match, refusal) -> GameAction, and
 * end(match, end). `match` is { id, start, decision }: the messages MatchStart and Decision, the latter the open one.
 */
function play({ target, token, bot, folder = protoFolder() }) {
  const Service = loadService(folder);
  const channel = new Service(...reach(target));
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${token}`);

  const matches = new Map();
  let sessionToken = '';
  let heardAt = Date.now();

  function handle(stream, response) {
    heardAt = Date.now();
    const kind = response.message;
    const body = response[kind];
    const match = body && matches.get(body.match_id);
    const answer = (action) =>
      stream.write({ answer: { match_id: match.id, decision_id: body.decision_id, action } });
    if (match && body.last_event) match.lastEvent = body.last_event;

    if (kind === 'welcome') {
      sessionToken = body.session_token;
      if (!body.resumed) matches.clear(); // a session of its own: what was open before is not ours any more
    } else if (kind === 'match_start') {
      if (match) return; // told again after a return; what the bot remembers stays
      matches.set(body.match_id, { id: body.match_id, start: body, decision: null, lastEvent: 0 });
    } else if (kind === 'decision') {
      if (!match) return;
      match.decision = body;
      answer(bot.decide(match));
    } else if (kind === 'refused') {
      console.error(`refused (${body.code}): ${body.sentence}`);
      if (match && body.tries_left > 0) answer(bot.refused(match, body));
    } else if (kind === 'match_end') {
      if (match) bot.end(match, body);
      matches.delete(body.match_id);
    } else if (kind === 'notice') {
      console.error(`notice ${body.kind} (${body.code}): ${body.sentence}`);
    } // events: the observation in each decision says all that this bot needs; heartbeat: heard, and that is its use
  }

  // One stream, from Hello to its end; resolves with the status with which it ended.
  function playStream() {
    return new Promise((resolve, reject) => {
      const stream = channel.Play(metadata);
      let heartbeats = 0;
      const pulse = setInterval(() => {
        if (Date.now() - heardAt > SILENCE_MS) stream.cancel();
        else stream.write({ heartbeat: { number: ++heartbeats } });
      }, HEARTBEAT_MS);
      stream.on('data', (response) => {
        try {
          handle(stream, response);
        } catch (error) {
          clearInterval(pulse);
          stream.cancel();
          reject(error); // a bug of the bot: its log should say so, and where
        }
      });
      stream.on('error', () => {}); // told once more, and always, as the status below
      stream.on('status', (status) => {
        clearInterval(pulse);
        resolve(status);
      });
      heardAt = Date.now();
      stream.write({
        hello: {
          protocol_version: PROTOCOL_VERSION,
          sdk: `node ${process.version}`,
          bot_version: bot.version,
          games: bot.games,
          max_matches: bot.maxMatches,
          queue: process.env.GAVELPORT_QUEUE === 'practice' ? 'QUEUE_PRACTICE' : 'QUEUE_UNSPECIFIED',
          session_token: sessionToken,
          resume: [...matches.values()].map((match) => ({ match_id: match.id, last_event: match.lastEvent })),
        },
      });
    });
  }

  async function playAll() {
    let failingSince = Date.now();
    let giveUp = GIVE_UP_MS;
    let wait = FIRST_WAIT_MS;
    for (;;) {
      const begun = Date.now();
      const status = await playStream();
      if (status.code === grpc.status.OK) return;
      const told = `${grpc.status[status.code]}: ${status.details}`;
      if (FINAL.has(status.code)) throw new Error(`the referee refused the connection: ${told}`);
      if (Date.now() - begun > STEADY_MS) {
        failingSince = Date.now();
        wait = FIRST_WAIT_MS;
      }
      if (sessionToken) giveUp = GIVE_UP_KNOWN_MS;
      if (Date.now() - failingSince > giveUp) throw new Error(`the referee cannot be reached: ${told}`);
      console.error(`stream lost (${told}); trying again in ${wait} ms`);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    }
  }

  return playAll().finally(() => channel.close());
}

module.exports = { play, protoFolder, reach };
