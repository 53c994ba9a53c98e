"""Records for tests of the stores."""

import hashlib
from dataclasses import replace

from gavelport_server.storage.store import Entrant, Kind, Result, SeatResult, TournamentRecord


def tournament(
    identity: str = "t1", entrants: int = 4, started_at: str = "2030-01-01T10:00:00+00:00", kind: Kind = "tournament"
) -> TournamentRecord:
    return TournamentRecord(
        identity=identity,
        name="cup",
        game="container@1",
        options='{"seats":3}',
        secret=bytes(range(32)),
        seats=3,
        entrants=tuple(
            Entrant(i, f"bot{i}", f"{i}.0", hashlib.sha256(bytes([i])).hexdigest()) for i in range(entrants)
        ),
        started_at=started_at,
        kind=kind,
    )


def seat(entrant: int, rank: int) -> SeatResult:
    return SeatResult(
        entrant=entrant,
        rank=rank,
        total=70 - 13 * rank,
        retired=rank == 3,
        decisions=100 + rank,
        charged_ms=12_345,
        slowest_ms=678,
        refusals=rank,
        faults=(("illegal", 2), ("timeout", rank)) if rank == 3 else (),
        first_fault="decision 7: timeout: no answer in 5 s" if rank == 3 else "",
    )


def result(
    number: int, *, match_id: str = "", entrants: tuple[int, ...] = (0, 1, 2), ranks: tuple[int, ...] = (1, 2, 3)
) -> Result:
    return Result(
        match_id=match_id or f"m{number:04}",
        number=number,
        round=number // 2,
        block=number // 6,
        rotation=number % 3,
        table=number % 2,
        end="two_colours",
        seats=tuple(seat(*one) for one in zip(entrants, ranks, strict=True)),
        replay_sha256=hashlib.sha256(str(number).encode()).hexdigest(),
        seconds=1.5 + number / 3,
        finished_at=f"2030-01-01T10:{number // 60:02}:{number % 60:02}+00:00",
    )


def schedule(matches: int, entrants: int = 4) -> list[Result]:
    """Results whose entrants and ranks vary from match to match, ties among them."""
    tables = []
    for number in range(matches):
        seated = tuple((number + step) % entrants for step in range(3))
        ranks = ((1, 2, 3), (3, 1, 2), (1, 1, 3), (2, 3, 1))[number % 4]
        tables.append(result(number, entrants=seated, ranks=ranks))
    return tables


def renamed(one: Result, match_id: str) -> Result:
    return replace(one, match_id=match_id)
