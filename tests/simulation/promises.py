"""Whether an archive keeps what was promised: by the bots' own notes, and by rating arithmetic of its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gavelport_codecs.registry import codec_for
from gavelport_server.archive.playback import Playback
from gavelport_server.archive.verify import verify_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gavelport_server.storage.store import Result, Standing

    from tests.simulation.scripted import Ledger


def broken(
    results: Sequence[Result],
    voids: set[str],
    replay: Callable[[str], bytes],
    ledgers: Iterable[Ledger],
) -> Iterator[str]:
    """Yield what was promised and is not so.

    Args:
        results: all that are counted, in their order.
        voids: ids of the matches that came to nothing.
        replay: gives the stored replay of a match; raises whatever it likes where there is none.
        ledgers: what the bots were told.
    """
    ledgers = list(ledgers)
    times = Counter(result.match_id for result in results)
    yield from (f"{match_id}: counted {count} times" for match_id, count in times.items() if count > 1)
    yield from (f"{match_id}: counted, and void" for match_id in times if match_id in voids)
    ended = {match_id for ledger in ledgers for match_id in ledger.ends}
    yield from (f"{match_id}: its end was told, and it is not counted" for match_id in sorted(ended - set(times)))
    begun = {match_id for ledger in ledgers for match_id, _ in ledger.begun}
    yield from (f"{match_id}: begun, neither counted nor void" for match_id in sorted(begun - set(times) - voids))
    yield from (problem for ledger in ledgers for problem in ledger.problems)
    acknowledged: dict[str, list[tuple[int, dict[int, bytes]]]] = {}
    for ledger in ledgers:
        for (match_id, seat), answers in ledger.acknowledged.items():
            acknowledged.setdefault(match_id, []).append((seat, answers))
    for match_id in times:
        try:
            played, _ = verify_stored(replay(match_id))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it is what is to be told
            yield f"{match_id}: {error}"
            continue
        yield from _answers_missing(played, acknowledged.get(match_id, ()))


def _answers_missing(played: Any, acknowledged: Iterable[tuple[int, dict[int, bytes]]]) -> Iterator[str]:
    codec = codec_for(played.header.game.id)
    taken: dict[int, list[bytes | None]] = {}
    for step in Playback(played):
        if step.choice.fault == "retired":
            continue
        action = codec.action(step.choice.action).SerializeToString(deterministic=True)
        taken.setdefault(step.seat, []).append(None if step.choice.fault else action)
    for seat, answers in acknowledged:
        kept = taken.get(seat, [])
        for decision_id, action in answers.items():
            if decision_id > len(kept) or kept[decision_id - 1] != action:
                yield f"{played.header.match_id}: seat {seat}: the answer to decision {decision_id} is not kept"


def wrong_ratings(
    bots: Sequence[tuple[str, str]], results: Iterable[Result], standings: Iterable[Standing]
) -> Iterator[str]:
    """Yield whose rating is not that of the matches: design 6, worked out anew.

    `bots` are the entrants, names and versions, by number.
    """
    elo: dict[str, float] = {}
    played: Counter[int] = Counter()
    for result in results:
        seats = [(bots[seat.entrant][0], seat.entrant, seat.rank) for seat in result.seats]
        change = {}
        for bot, entrant, rank in seats:
            gain = 0.0
            for other, _, its_rank in seats:
                if other != bot:
                    expected = 1 / (1 + 10 ** ((elo.get(other, 1500.0) - elo.get(bot, 1500.0)) / 400))
                    gain += (1.0 if rank < its_rank else 0.5 if rank == its_rank else 0.0) - expected
            k = 32 if played[entrant] < 30 else 16
            change[bot] = round(elo.get(bot, 1500.0) + k / (len(seats) - 1) * gain, 6)
        elo.update(change)
        played.update(entrant for _, entrant, _ in seats)
    for standing in standings:
        bot, version = bots[standing.entrant]
        if standing.elo != elo.get(bot, 1500.0) or standing.matches != played[standing.entrant]:
            yield (
                f"{bot} {version}: rated {standing.elo} after {standing.matches} matches; "
                f"its matches make {elo.get(bot, 1500.0)} after {played[standing.entrant]}"
            )
