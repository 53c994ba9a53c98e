"""The hub: all bots' links, from the token to the seat of a match (design 3, 4, 9).

A link is a bot's once its token is known and Hello was said; from then on answers go straight to the match that they
name. Everything happens at once, in the call that the transport makes: no task stands between an answer and what
follows from it.

Limits, beside those of the transport: Hello within `HELLO_S`, notes of `MAX_NOTE_BYTES`, and per link a leaky bucket
for whatever is no answer to an open decision (heartbeats, refused ids, junk): `IDLE_BURST` at once, `IDLE_PER_S` for
long. Real answers are not counted: there cannot be more of them than decisions. More than `MALFORMED_MOST` messages
that cannot be read at all end the link.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from importlib.metadata import version

import structlog
import trio
from gavelport.v1 import referee_pb2 as pb
from google.protobuf.message import DecodeError

from gavelport_server.conduct.match import MAX_NOTE_BYTES
from gavelport_server.conduct.messages import notice
from gavelport_server.conduct.session import Session
from gavelport_server.referee.codes import Code
from gavelport_server.referee.core import MAX_FAULTS, TRIES
from gavelport_server.referee.report import SeatName
from gavelport_server.transport.limits import Limits
from gavelport_server.transport.link import Link, LostReason, StatusCode

PROTOCOL_VERSION = 1
HELLO_S = 5.0
"""From the opening of a stream to its Hello."""
IDLE_PER_S = 50.0
IDLE_BURST = 200.0
MALFORMED_MOST = 20

_NO_TOKEN = "the token is missing or not valid here"  # noqa: S105  one text for all that can be wrong with it
_NO_MATCH = "none of your running matches has this id"
_log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class _Peer:
    """What the hub knows of one link."""

    link: Link
    session: Session
    has_said_hello: bool = False
    idle: float = 0.0
    idle_at: float = 0.0
    malformed: int = 0
    hello_scope: trio.CancelScope = field(default_factory=trio.CancelScope)

    def count_idle(self, at: float) -> bool:
        """Count a message that is no answer to an open decision; return whether there are too many."""
        self.idle = max(0.0, self.idle - (at - self.idle_at) * IDLE_PER_S) + 1
        self.idle_at = at
        return self.idle > IDLE_BURST


class Hub:
    """The transport's listener. `admit` makes a place for a bot process; its session goes to `conduct_match`."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._max_message_bytes = (limits or Limits()).max_receive_bytes
        self._sessions: dict[bytes, Session] = {}
        self._peers: dict[Link, _Peer] = {}

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

    # -- the transport's listener

    def opened(self, link: Link) -> None:
        """Let a link with a known token in, to say Hello; refuse any other."""
        session = self._session(link.metadata.get("authorization", ""))
        if session is None or session.gone_reason:
            link.close(StatusCode.UNAUTHENTICATED, _NO_TOKEN)
            return
        for other in tuple(self._peers.values()):
            if other.session is session and not other.has_said_hello:
                self._fence(other)
        peer = self._peers[link] = _Peer(link, session, idle_at=trio.current_time())
        trio.lowlevel.spawn_system_task(self._expect_hello, peer)

    def received(self, link: Link, message: bytes, at: float) -> None:
        """Hand an answer to its match; answer all else that may come."""
        peer = self._peers.get(link)
        if peer is None:
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
            _log.info("bot_lost", bot=peer.session.name.bot, reason=reason.value)
            self._forget(peer)

    # -- details

    def _session(self, authorization: str) -> Session | None:
        scheme, _, token = authorization.partition(" ")
        digest = _digest(token)
        # Looked up by its hash, so that how long it takes tells nothing of the tokens there are.
        session = self._sessions.get(digest)
        return session if hmac.compare_digest(scheme.lower().encode(), b"bearer") else None

    async def _expect_hello(self, peer: _Peer) -> None:
        with peer.hello_scope:
            await trio.sleep(HELLO_S)
            self._drop(peer, StatusCode.DEADLINE_EXCEEDED, f"no Hello within {HELLO_S:.0f} s")

    def _hello(self, peer: _Peer, hello: pb.Hello) -> None:
        if hello.protocol_version != PROTOCOL_VERSION:
            said = f"the bot speaks protocol version {hello.protocol_version}, this server {PROTOCOL_VERSION}"
            self._drop(peer, StatusCode.FAILED_PRECONDITION, f"{said}; use an SDK that fits")
            return
        peer.hello_scope.cancel()
        for other in tuple(self._peers.values()):
            if other.session is peer.session and other is not peer:
                self._fence(other)
        peer.has_said_hello = True
        session = peer.session
        resumed = session.connect(peer.link, hello)
        _log.info("bot_connected", bot=session.name.bot, sdk=hello.sdk[:64], resumed=resumed)
        welcome = pb.Welcome(
            session_token=session.resume_token,
            server=f"gavelport {version('gavelport')}",
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

    def _fence(self, peer: _Peer) -> None:
        """Close a link that a newer one takes the place of. What it holds is the newer one's: nothing is lost."""
        sentence = "a newer connection with the same token took over"
        peer.link.send(notice(pb.NOTICE_KIND_FENCED, Code.FENCED, sentence))
        peer.hello_scope.cancel()
        del self._peers[peer.link]
        peer.link.close(StatusCode.ABORTED, sentence)

    def _drop(self, peer: _Peer, code: StatusCode, text: str) -> None:
        if peer.link in self._peers:
            _log.info("bot_dropped", bot=peer.session.name.bot, code=code.name, text=text)
            peer.session.complaint = text
            self._forget(peer)
            peer.link.close(code, text)

    def _forget(self, peer: _Peer) -> None:
        del self._peers[peer.link]
        peer.hello_scope.cancel()
        if peer.session.link is peer.link:
            peer.session.disconnect()

    def _malformed(self, peer: _Peer, sentence: str) -> None:
        peer.malformed += 1
        if peer.malformed > MALFORMED_MOST:
            self._drop(peer, StatusCode.INVALID_ARGUMENT, "too many messages that cannot be read")
        else:
            self._tell(peer, Code.MALFORMED, sentence)

    def _tell(self, peer: _Peer, code: Code, sentence: str, match_id: str = "") -> None:
        peer.session.complaint = f"{code}: {sentence}"
        peer.link.send(notice(pb.NOTICE_KIND_PROTOCOL, code, sentence, match_id))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
