"""Bots that each fail one check of `gavelport check`; copied into a bot's folder by `folders.py`.

They play legally at random over the SDK, of which they break a part.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from gavelport_engine.container.actions import Bid
from gavelport_engine.rng import Stream
from gavelport_sdk import Bot, MatchInfo, run
from gavelport_sdk.session import Session


class Legal(Bot):
    games = ("container",)

    def decide(self, observation: Any) -> Any:
        return self.decision.space.sample(self.rng)


class CrashesInMatch(Legal):
    def decide(self, observation: Any) -> Any:
        if self.decision.number == 3:
            raise ZeroDivisionError("planted")
        return super().decide(observation)


class Illegal(Legal):
    """Answers what nobody can pay, again and again."""

    def decide(self, observation: Any) -> Any:
        return Bid(9_999)

    def refused(self, refusal: Any) -> Any:
        return Bid(9_999)


class Slips(Legal):
    """Answers illegally once; the SDK then answers with the default."""

    def decide(self, observation: Any) -> Any:
        return Bid(9_999) if self.decision.number == 2 else super().decide(observation)


class Hangs(Legal):
    def decide(self, observation: Any) -> Any:
        time.sleep(60)


class Slow(Legal):
    def decide(self, observation: Any) -> Any:
        if self.decision.number == 2:
            time.sleep(0.6)
        return super().decide(observation)


class OneMatchOnly(Legal):
    matches = 0

    def start(self, match: MatchInfo) -> None:
        OneMatchOnly.matches += 1
        if OneMatchOnly.matches > 1:
            raise RuntimeError("planted: left over from the first match")


class Moody(Legal):
    """Draws from numbers of its own."""

    def decide(self, observation: Any) -> Any:
        return self.decision.space.sample(Stream(random.randbytes(8), "moody"))


def breaking(bot: type[Bot], name: str, broken: Callable[[Any, Any], Callable[..., Any]]) -> None:
    """Run a bot on an SDK of which one method is another."""
    whole = getattr(Session, name)
    setattr(Session, name, lambda self, *given: broken(self, whole)(*given))
    run(bot)


def silent_when_refused() -> None:
    def refused(session: Any, whole: Any) -> Callable[[Any], None]:
        return print

    breaking(Legal, "_refused", refused)


def never_returns() -> None:
    said = []

    def hello(session: Any, whole: Any) -> Callable[[], Any]:
        said.append(1)
        if len(said) > 1:
            sys.exit("planted: the stream is lost")
        return lambda: whole(session)

    breaking(Legal, "hello", hello)


def forgets_on_return() -> None:
    def hello(session: Any, whole: Any) -> Callable[[], Any]:
        session._token = ""
        session._running.clear()
        return lambda: whole(session)

    breaking(Legal, "hello", hello)


def stumbles_over_repeats() -> None:
    seen = set()

    def decision(session: Any, whole: Any) -> Callable[[Any], Any]:
        def checked(message: Any) -> Any:
            key = message.match_id, message.decision_id
            if key in seen:
                raise KeyError(f"planted: decision {message.decision_id} is known")
            seen.add(key)
            return whole(session, message)

        return checked

    breaking(Legal, "_decision", decision)


def stumbles_over_unknown_kinds() -> None:
    def receive(session: Any, whole: Any) -> Callable[[Any], Any]:
        def checked(response: Any) -> Any:
            if response.WhichOneof("message") is None:
                raise KeyError("planted: what is this?")
            return whole(session, response)

        return checked

    breaking(Legal, "receive", receive)


def stumbles_over_late_notices() -> None:
    def notice(session: Any, whole: Any) -> Callable[[Any], None]:
        def checked(message: Any) -> None:
            if message.match_id:
                os._exit(5)

        return checked

    breaking(Legal, "_notice", notice)


def ignores_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    run(Legal)


def outlives_session() -> None:
    try:
        run(Legal)
    except SystemExit:
        time.sleep(60)


def ends_badly() -> None:
    try:
        run(Legal)
    except SystemExit:
        sys.exit(7)


def names_another_game() -> None:
    def hello(session: Any, whole: Any) -> Callable[[], Any]:
        def changed() -> Any:
            request = whole(session)
            request.hello.games[:] = ["chess@1"]
            return request

        return changed

    breaking(Legal, "hello", hello)


def fails_at_start() -> None:
    raise ImportError("planted: no such module")


def does_nothing() -> None:
    pass


def never_connects() -> None:
    time.sleep(60)


KINDS: dict[str, Callable[[], object]] = {
    "good": lambda: run(Legal),
    "crashes_in_match": lambda: run(CrashesInMatch),
    "illegal": lambda: run(Illegal),
    "slips": lambda: run(Slips),
    "hangs": lambda: run(Hangs),
    "slow": lambda: run(Slow),
    "one_match_only": lambda: run(OneMatchOnly),
    "moody": lambda: run(Moody),
    "silent_when_refused": silent_when_refused,
    "never_returns": never_returns,
    "forgets_on_return": forgets_on_return,
    "stumbles_over_repeats": stumbles_over_repeats,
    "stumbles_over_unknown_kinds": stumbles_over_unknown_kinds,
    "stumbles_over_late_notices": stumbles_over_late_notices,
    "ignores_sigterm": ignores_sigterm,
    "outlives_session": outlives_session,
    "ends_badly": ends_badly,
    "names_another_game": names_another_game,
    "fails_at_start": fails_at_start,
    "does_nothing": does_nothing,
    "never_connects": never_connects,
}
