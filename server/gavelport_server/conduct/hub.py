"""The hub: all bots' links, from the token to the seat of a match (design 3, 4, 9).

A link is a bot's once its token is known and Hello was said; from then on answers go straight to the match that they
name. Everything happens at once, in the call that the transport makes: no task stands between an answer and what
follows from it. Only a link whose token is not known yet is held until that was looked up.

There are two kinds of token. One that was given to `admit` is a single process's, in a tournament. All others are for
the `Admission` of a ladder: such a token is a bot's, whose session is found by the version that its Hello names.

Limits, beside those of the transport: Hello within `HELLO_S`, notes of `MAX_NOTE_BYTES`, and per link a leaky bucket
for whatever is no answer to an open decision (heartbeats, refused ids, junk): `IDLE_BURST` at once, `IDLE_PER_S` for
long. Real answers are not counted: there cannot be more of them than decisions. More than `MALFORMED_MOST` messages
that cannot be read at all end the link. On a ladder also `TOKEN_STREAMS`, `HELLOS` and, for links from elsewhere,
`UNKNOWN_TOKENS`.
"""

from __future__ import annotations

import hashlib
import math
from importlib.metadata import version
from typing import TYPE_CHECKING

import structlog
import trio
from gavelport.v1 import referee_pb2 as pb
from google.protobuf.message import DecodeError

from gavelport_server.conduct.admission import Refusal
from gavelport_server.conduct.match import MAX_NOTE_BYTES
from gavelport_server.conduct.messages import notice
from gavelport_server.conduct.peer import Peer
from gavelport_server.conduct.session import Session
from gavelport_server.lobby.limits import Buckets, Rate
from gavelport_server.referee.codes import Code
from gavelport_server.referee.core import MAX_FAULTS, TRIES
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import Link, LostReason, StatusCode, remote_host

if TYPE_CHECKING:
    from gavelport_server.conduct.admission import Admission
    from gavelport_server.lobby.gate import Caller
    from gavelport_server.referee.report import SeatName

PROTOCOL_VERSION = 1
HELLO_S = 5.0
"""From the opening of a stream to its Hello."""
MALFORMED_MOST = 20
TOKEN_STREAMS = 4
"""Streams of one token at the same time."""
HELLOS = Rate(burst=20, per_s=20 / 60)
"""Of one bot."""
UNKNOWN_TOKENS = Rate(burst=10, per_s=10 / 60)
"""From one address that is not this machine's."""

_SERVER = f"gavelport {version('gavelport')}"
_NO_TOKEN = "the token is missing or not valid here"  # noqa: S105  one text for all that can be wrong with it
_NO_MATCH = "none of your running matches has this id"
_log = structlog.get_logger(__name__)


class Hub:
    """The transport's listener. `admit` makes a place for a bot process; its session goes to `conduct_match`."""

    def __init__(self, limits: Limits | None = None, admission: Admission | None = None) -> None:
        self._max_message_bytes = (limits or Limits()).max_receive_bytes
        self._admission = admission
        self._sessions: dict[bytes, Session] = {}
        self._peers: dict[Link, Peer] = {}
        self._hellos = Buckets(HELLOS)
        self._unknown_tokens = Buckets(UNKNOWN_TOKENS)

    def admit(self, token: str, name: SeatName) -> Session:
        """Make a place for one bot process, which will connect with this token.

        Raises:
            ValueError: the token is in use.
        """
        digest = _digest(token)
        if digest in self._sessions:
            raise ValueError(f"{name.bot}: its token is another session's; give each bot process a token of its own")
        session = self._sessions[digest] = Session(name)
        return session

    def dismiss(self, session: Session) -> None:
        """End a session politely: the bot is told OK, and its token is worth nothing any more."""
        self._sessions = {digest: each for digest, each in self._sessions.items() if each is not session}
        for peer in tuple(self._peers.values()):
            if peer.session is session:
                self._drop(peer, StatusCode.OK, "the session is over")
        session.gone("dismissed")

    def revoke(self, token_id: str) -> None:
        """Cut the streams of a token that opens nothing any more. The bot's matches go on, by its clocks alone."""
        for peer in self._of_token(token_id):
            self._drop(peer, StatusCode.UNAUTHENTICATED, _NO_TOKEN)

    # -- the transport's listener

    def opened(self, link: Link) -> None:
        """Let a link with a known token in, to say Hello; hold it while its token is looked up; refuse any other."""
        token = _token(link)
        # Looked up by its hash, so that how long it takes tells nothing of the tokens there are.
        session = self._sessions.get(_digest(token))
        if session is None and self._admission is not None:
            self._opened_by_guest(link, token, self._admission)
        elif session is None or session.gone_reason:
            link.close(StatusCode.UNAUTHENTICATED, _NO_TOKEN)
        else:
            for other in tuple(self._peers.values()):
                if other.session is session and not other.has_said_hello:
                    self._fence(other)
            self._let_in(Peer(link, session))

    def received(self, link: Link, message: bytes, at: float) -> None:
        """Hand an answer to its match; answer all else that may come."""
        peer = self._peers.get(link)
        if peer is None:
            return
        if peer.is_held:
            if peer.held is None:
                peer.held = message, at
            else:
                self._drop(peer, StatusCode.INVALID_ARGUMENT, "wait for Welcome before sending more than Hello")
            return
        try:
            request = pb.PlayRequest.FromString(message)
        except DecodeError:
            self._malformed(peer, "the message is no PlayRequest")
            return
        kind = request.WhichOneof("message")
        if not peer.has_said_hello:
            if kind == "hello":
                self._hello(peer, request.hello)
            else:
                self._drop(peer, StatusCode.INVALID_ARGUMENT, "the first message must be Hello")
            return
        assert peer.session is not None
        if kind == "answer":
            answer = request.answer
            place = peer.session.places.get(answer.match_id)
            if place is not None:
                if place.answered(answer, at):
                    return
            else:
                self._tell(peer, Code.UNKNOWN_MATCH, _NO_MATCH, answer.match_id)
        elif kind == "heartbeat":
            link.send(pb.PlayResponse(heartbeat=request.heartbeat).SerializeToString())
        elif kind == "hello":
            self._tell(peer, Code.HELLO_TWICE, "Hello is said once on a stream")
        else:
            self._malformed(peer, "the message carries nothing that this server knows")
            return
        if peer.count_idle(at):
            self._drop(peer, StatusCode.RESOURCE_EXHAUSTED, "too many messages that answer no open decision")

    def lost(self, link: Link, reason: LostReason) -> None:
        """Take note that a link is gone; the bot may come back."""
        peer = self._peers.get(link)
        if peer is not None:
            _log.info("bot_lost", bot=peer.bot, reason=reason.value)
            self._forget(peer)

    # -- details

    def _opened_by_guest(self, link: Link, token: str, admission: Admission) -> None:
        caller = admission.known(token)
        if caller is not None:
            self._let_guest_in(Peer(link), caller)
            return
        host = remote_host(link.peer)
        wait_s = self._unknown_tokens.take(host, trio.current_time()) if host else 0.0
        if wait_s:
            text = f"too many unknown tokens from this address; try again in {math.ceil(wait_s)} s"
            link.close(StatusCode.RESOURCE_EXHAUSTED, text)
            return
        peer = self._peers[link] = Peer(link, is_held=True)
        trio.lowlevel.spawn_system_task(self._look_up, peer, token, admission)

    async def _look_up(self, peer: Peer, token: str, admission: Admission) -> None:
        try:
            caller = await admission.looked_up(token)
        except Exception:  # noqa: BLE001  logged; a system task that raises would end the server
            _log.exception("token_look_up_failed")
            self._drop(peer, StatusCode.UNAVAILABLE, "tokens cannot be looked up at present; try again later")
            return
        if peer.link not in self._peers:
            return
        peer.is_held = False
        if caller is None:
            self._drop(peer, StatusCode.UNAUTHENTICATED, _NO_TOKEN)
            return
        self._let_guest_in(peer, caller)
        if peer.held is not None:
            self.received(peer.link, *peer.held)

    def _let_guest_in(self, peer: Peer, caller: Caller) -> None:
        self._peers[peer.link] = peer
        if caller.scope != "bot":
            text = f"a bot's token is needed to play, not one of scope {caller.scope}"
            self._drop(peer, StatusCode.PERMISSION_DENIED, text)
        elif len(self._of_token(caller.token_id)) >= TOKEN_STREAMS:
            text = f"this token has {TOKEN_STREAMS} streams already; end one of them first"
            self._drop(peer, StatusCode.RESOURCE_EXHAUSTED, text)
        else:
            peer.caller = caller
            self._let_in(peer)

    def _let_in(self, peer: Peer) -> None:
        self._peers[peer.link] = peer
        trio.lowlevel.spawn_system_task(self._expect_hello, peer)

    def _of_token(self, token_id: str) -> list[Peer]:
        return [each for each in self._peers.values() if each.caller is not None and each.caller.token_id == token_id]

    async def _expect_hello(self, peer: Peer) -> None:
        with peer.hello_scope:
            await trio.sleep(HELLO_S)
            self._drop(peer, StatusCode.DEADLINE_EXCEEDED, f"no Hello within {HELLO_S:.0f} s")

    def _hello(self, peer: Peer, hello: pb.Hello) -> None:
        if hello.protocol_version != PROTOCOL_VERSION:
            said = f"the bot speaks protocol version {hello.protocol_version}, this server {PROTOCOL_VERSION}"
            self._drop(peer, StatusCode.FAILED_PRECONDITION, f"{said}; use an SDK that fits")
            return
        session = peer.session or self._guest_session(peer, hello)
        if session is None:
            return
        if session.gone_reason:  # since the link was opened: nobody takes the place of a process that has ended
            self._drop(peer, StatusCode.UNAUTHENTICATED, _NO_TOKEN)
            return
        peer.session = session
        peer.hello_scope.cancel()
        for other in tuple(self._peers.values()):
            if other.session is session and other is not peer:
                self._fence(other)
        peer.has_said_hello = True
        resumed = session.connect(peer.link, hello)
        _log.info("bot_connected", bot=session.name.bot, sdk=hello.sdk[:64], resumed=resumed)
        welcome = pb.Welcome(
            session_token=session.resume_token,
            server=_SERVER,
            limits=pb.Limits(
                max_message_bytes=self._max_message_bytes,
                max_note_bytes=MAX_NOTE_BYTES,
                tries=TRIES,
                max_faults=MAX_FAULTS,
            ),
            resumed=resumed,
        )
        peer.link.send(pb.PlayResponse(welcome=welcome).SerializeToString())
        # A process that does not go on, but names matches, has seen another life's events: it is told all anew.
        last_events = {each.match_id: each.last_event if resumed else 0 for each in hello.resume}
        for match_id in session.go_on(last_events):
            self._tell(peer, Code.UNKNOWN_MATCH, _NO_MATCH, match_id)

    def _guest_session(self, peer: Peer, hello: pb.Hello) -> Session | None:
        """Return the session of a ladder's bot; None where it was refused."""
        assert self._admission is not None
        assert peer.caller is not None
        wait_s = self._hellos.take(peer.caller.bot, trio.current_time())
        if wait_s:
            text = f"{peer.caller.bot} connects too often; try again in {math.ceil(wait_s)} s"
            self._drop(peer, StatusCode.RESOURCE_EXHAUSTED, text)
            return None
        answer = self._admission.hello(peer.caller, hello)
        if isinstance(answer, Refusal):
            self._drop(peer, answer.code, answer.text)
            return None
        return answer

    def _fence(self, peer: Peer) -> None:
        """Close a link that a newer one takes the place of. What it holds is the newer one's: nothing is lost."""
        same = "with the same token" if peer.caller is None else "of the same bot and version"
        sentence = f"a newer connection {same} took over"
        peer.link.send(notice(pb.NOTICE_KIND_FENCED, Code.FENCED, sentence))
        peer.hello_scope.cancel()
        del self._peers[peer.link]
        peer.link.close(StatusCode.ABORTED, sentence)

    def _drop(self, peer: Peer, code: StatusCode, text: str) -> None:
        if peer.link in self._peers:
            _log.info("bot_dropped", bot=peer.bot, code=code.name, text=text)
            peer.complain(text)
            self._forget(peer)
            peer.link.close(code, text)

    def _forget(self, peer: Peer) -> None:
        del self._peers[peer.link]
        peer.hello_scope.cancel()
        if peer.session is not None and peer.session.link is peer.link:
            peer.session.disconnect()

    def _malformed(self, peer: Peer, sentence: str) -> None:
        peer.malformed += 1
        if peer.malformed > MALFORMED_MOST:
            self._drop(peer, StatusCode.INVALID_ARGUMENT, "too many messages that cannot be read")
        else:
            self._tell(peer, Code.MALFORMED, sentence)

    def _tell(self, peer: Peer, code: Code, sentence: str, match_id: str = "") -> None:
        peer.complain(f"{code}: {sentence}")
        peer.link.send(notice(pb.NOTICE_KIND_PROTOCOL, code, sentence, match_id))


def _token(link: Link) -> str:
    scheme, _, token = link.metadata.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else ""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
