"""Who is there: bots by version, what they have come for, and what they are told of their standing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import structlog
from gavelport.v1 import referee_pb2 as pb

from gavelport_server.conduct.admission import Refusal
from gavelport_server.conduct.messages import notice
from gavelport_server.conduct.session import Session
from gavelport_server.referee.codes import Code
from gavelport_server.referee.report import SeatName
from gavelport_server.transport.link import StatusCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gavelport_server.conduct.ladder.versions import Roster
    from gavelport_server.lobby.gate import Caller

KEPT_S = 600.0
"""So long a session without link and matches is kept: a bot that comes back is told the ends that it missed."""
PROBATION_AFTER = 3
"""Matches in a row that ended with the bot retired."""
_REST_S, _REST_MOST_S = 60.0, 960.0
_log = structlog.get_logger(__name__)


class Host(Protocol):
    """Whoever runs a player's processes, one a match."""

    @property
    def sandbox(self) -> str:
        """Return what was found to hold them, and their limits, in words."""
        ...

    def began(self, match_id: str) -> None:
        """The player sits down to a match."""
        ...

    def over(self, match_id: str, *, was_faulty: bool) -> None:
        """The match is over; its process plays no other."""
        ...


@dataclass(eq=False, slots=True)
class Player:
    """A version of a bot, connected or at its matches."""

    session: Session
    is_practice: bool = False
    games: frozenset[str] = frozenset()
    since: float = 0.0
    """When it became free."""
    matches: set[str] = field(default_factory=set)
    """The running ones."""
    leaving: str = ""
    """Why it gets no more matches and is let go after the last, in words; empty while it stays."""
    unpaired: str = ""
    """Why it stays, but gets no matches, as it was told."""
    held_back: dict[str, str] = field(default_factory=dict)
    """Why ladders have no match for it for now, by ladder, as it was told."""
    retired_in_row: int = 0
    rests_until: float = 0.0
    news: list[bytes] = field(default_factory=list)
    """Notices that are told once it is connected."""
    host: Host | None = None
    """Of a version that runs on the server; it plays one match at a time."""

    @property
    def bot(self) -> str:
        """Its bot's name."""
        return self.session.name.bot

    @property
    def version(self) -> str:
        """Its version."""
        return self.session.name.version

    def is_free(self, game: str, now: float) -> bool:
        """Return whether it can begin a match of a game."""
        return (
            self.session.connected
            and not (self.leaving or self.unpaired)
            and game in self.games
            and len(self.matches) < (self.session.max_matches if self.host is None else 1)
            and self.rests_until <= now
        )

    def tell(self, kind: pb.NoticeKind.ValueType, code: Code, sentence: str, match_id: str = "") -> None:
        """Tell the bot something, if it is there."""
        self.session.send(notice(kind, code, sentence, match_id))

    def hold_back(self, ladder: str, why: str) -> None:
        """Tell the bot, once each time, why a ladder has no match for it for now; empty: it has."""
        if not why:
            self.held_back.pop(ladder, None)
        elif ladder not in self.held_back:
            self.held_back[ladder] = why
            sentence = f"{self.bot} gets no match on {ladder} for now: {why}; stay connected, and it goes on by itself"
            self.tell(pb.NOTICE_KIND_LADDER, Code.NOT_PAIRED, sentence)

    def leave(self, kind: pb.NoticeKind.ValueType, code: Code, sentence: str) -> None:
        """Give the bot no more matches and let it go after the last."""
        if self.leaving:
            return
        self.leaving = sentence
        self.tell(kind, code, sentence)
        self.let_go()

    def let_go(self) -> None:
        """End the stream of a bot that is leaving and has nothing more to play."""
        if self.leaving and not self.matches:
            self.tell_news()
            self.session.close(self.leaving)

    def tell_news(self) -> None:
        """Tell what is still to be told, if the bot is there."""
        if self.session.connected:
            for message in self.news:
                self.session.send(message)
            self.news.clear()

    def sit_down(self, match_id: str) -> None:
        """Take note of a match that it plays from now on."""
        self.matches.add(match_id)
        if self.host is not None:
            self.host.began(match_id)

    def released(self, match_id: str, now: float, *, was_faulty: bool = False) -> None:
        """Take note that a match is over."""
        self.matches.discard(match_id)
        self.since = now
        self.let_go()
        if self.host is not None:
            self.host.over(match_id, was_faulty=was_faulty)

    def finished(self, match_id: str, now: float, *, was_retired: bool, was_faulty: bool) -> None:
        """Take note of the end of a match that counts, and of one that ended like those before it."""
        self.retired_in_row = self.retired_in_row + 1 if was_retired else 0
        beyond = self.retired_in_row - PROBATION_AFTER
        if beyond >= 0:
            rest_s = min(_REST_MOST_S, _REST_S * 2**beyond)
            self.rests_until = now + rest_s
            sentence = (
                f"the last {self.retired_in_row} matches of {self.bot} {self.version} all ended with the seat retired "
                f"for its faults; its next match waits for {rest_s:.0f} s, and longer each time until one is played to "
                f"its end. `gavelport bots faults {self.bot}` shows what went wrong; mend it and connect a new version"
            )
            self.tell(pb.NOTICE_KIND_LADDER, Code.PROBATION, sentence, match_id)
            _log.info("bot_rests", bot=self.bot, version=self.version, count=self.retired_in_row, rest_s=rest_s)
        self.released(match_id, now, was_faulty=was_faulty)


class Players:
    """The table of players, by bot and version."""

    def __init__(self, roster: Roster, games: frozenset[str], now: Callable[[], float]) -> None:
        self._roster = roster
        self._games = games
        self._now = now
        self._players: dict[SeatName, Player] = {}
        self._away: dict[SeatName, float] = {}
        """Since when a player has been neither connected nor at a match."""

    def __iter__(self) -> Iterator[Player]:
        """Iterate over all, in the order in which they came."""
        return iter(tuple(self._players.values()))

    def of_bot(self, bot: str) -> list[Player]:
        """Return the versions of a bot that are there."""
        return [player for player in self._players.values() if player.bot == bot]

    def seat(self, name: SeatName) -> Player:
        """Return the player of a seat, made where it is not there: its bot may come back to a match."""
        return self._players.setdefault(name, Player(Session(name)))

    def hello(self, caller: Caller, hello: pb.Hello) -> Session | Refusal:
        """Let a bot in, with what it has come for, or refuse it (`Admission.hello`)."""
        name = SeatName(caller.bot, hello.bot_version)
        if self._roster.content_hash(name.bot, name.version):
            text = (
                f"{name.bot} {name.version} was submitted, and this server runs it; to connect, give what you run a "
                "version of its own in bot.toml"
            )
            return Refusal(StatusCode.FAILED_PRECONDITION, text)
        is_practice = hello.queue == pb.QUEUE_PRACTICE
        games = frozenset(hello.games) & self._games
        if not games:
            there, said = ", ".join(sorted(self._games)), ", ".join(hello.games)[:200] or "none"
            text = f"the ladders here are of {there}, and {caller.bot} says that it plays {said}"
            return Refusal(StatusCode.FAILED_PRECONDITION, text)
        refusal = self._roster.why_not_in(name.bot, name.version, is_practice=is_practice)
        player = self._players.get(name)
        if refusal is not None and (player is None or not player.matches):
            return refusal
        player = self.seat(name)
        player.is_practice, player.games, player.since = is_practice, games, self._now()
        player.leaving, player.unpaired, player.news, player.held_back = "", "", [], {}
        if refusal is not None:
            player.leaving = refusal.text
            player.news.append(notice(pb.NOTICE_KIND_LADDER, Code.NOT_PAIRED, refusal.text))
        elif not is_practice and self._roster.enter(name.bot, name.version):
            _log.info("version_new", bot=name.bot, version=name.version)
            self.apply_roster()
        return player.session

    def host(self, name: SeatName, session: Session, games: Iterable[str], host: Host) -> None:
        """Let a process that runs on the server play for a version, from now on and for one match."""
        player = self.seat(name)
        player.session, player.host = session, host
        player.is_practice, player.games, player.since = False, frozenset(games) & self._games, self._now()
        player.leaving, player.unpaired, player.news = "", "", []
        self.apply_roster()

    def apply_roster(self) -> None:
        """Let what is known of bots and versions take effect on those that are there."""
        for player in self:
            refusal = self._roster.why_not_in(player.bot, player.version, is_practice=player.is_practice)
            if refusal is not None:
                is_denied = refusal.code is StatusCode.PERMISSION_DENIED
                kind = pb.NOTICE_KIND_LADDER if is_denied else pb.NOTICE_KIND_SUPERSEDED
                player.leave(kind, Code.NOT_PAIRED if is_denied else Code.SUPERSEDED, refusal.text)
                continue
            why = "" if player.is_practice else self._roster.why_not_paired(player.bot)
            if why != player.unpaired:
                player.unpaired = why
                if why:
                    player.news.append(notice(pb.NOTICE_KIND_LADDER, Code.NOT_PAIRED, why))

    def tell_news(self) -> None:
        """Tell what is still to be told, and forget who has been away for long."""
        self.apply_roster()
        now = self._now()
        for name, player in tuple(self._players.items()):
            player.tell_news()
            if player.session.connected or player.matches or player.rests_until > now:
                self._away.pop(name, None)
            elif now - self._away.setdefault(name, now) >= KEPT_S:
                del self._players[name], self._away[name]

    def connected(self) -> Iterable[Player]:
        """Return those that are connected."""
        return [player for player in self._players.values() if player.session.connected]
