"""A match as text that reads well: header, every decision with what came of it, the final scores."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gavelport_server.archive.playback import Playback
from gavelport_server.archive.private import Withheld
from gavelport_server.archive.verify import verified_steps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from gavelport_engine.game import AnyGame, Outcome
    from rich.console import RenderableType

    from gavelport_server.archive.playback import Step
    from gavelport_server.archive.record import Replay
    from gavelport_server.referee.report import SeatName

WIDTH = 100
_NUMBER = 5
_INDENT = " " * (_NUMBER + 2)


def shown(replay: Replay, width: int = WIDTH) -> Iterator[RenderableType]:
    """Yield the text piece by piece, in lines of `width`. Raises Difference where the replay turns out to be untrue."""
    header = replay.header
    narration = Narration(header.game, header.seats, width)
    yield from _header(replay)
    yield from narration.deal(header.options, replay.seed)
    playback = Playback(replay)
    yield from narration.happenings(playback.opening.events, playback.state)
    for step in verified_steps(playback):
        yield from narration.step(step, playback.state)
    yield from narration.result(playback.game.outcome(playback.state, replay.end.retired), replay.end.retired)


class Narration:
    """A match told decision by decision, as it is played or played again, in lines of `width`."""

    def __init__(self, game: AnyGame, seats: Sequence[SeatName], width: int = WIDTH) -> None:
        """Begin to tell of a match between these seats."""
        self.names = seat_names(seats)
        self._game = game
        self._seats = seats
        self._words = game.words(self.names)
        self._width = width
        self._turn_seat: int | None = None

    def deal(self, options: Any, seed: bytes) -> Iterator[RenderableType]:
        """Yield who sits where with what, and how to read the rest."""
        sentence, dealt = self._words.deal(self._game.deal_to_notation(options, seed))
        table = plain_table("seat", "bot", "version", *dealt)
        for seat, name in enumerate(self._seats):
            table.add_row(str(seat), name.bot, name.version, *(column[seat] for column in dealt.values()))
        yield Text()
        yield table
        yield Text()
        told = f"{sentence} Beside each turn: what the seats have in hand, from seat 0."
        yield from (Text(line) for line in wrap(told, self._width))

    def step(self, step: Step, state: Any) -> Iterator[Text]:
        """Yield a decision and what came of it; `state` is the position after it."""
        yield from self._decision(step)
        yield from self.happenings(step.events, state)

    def aside(self, text: str) -> Iterator[Text]:
        """Yield what was said between decisions and came to nothing, below the one before."""
        yield from (Text(f"{_INDENT}{line}", "yellow") for line in wrap(text, self._width - len(_INDENT)))

    def happenings(self, events: Iterable[Any], state: Any) -> Iterator[Text]:
        """Yield what came of a decision, several to a line; a heading where a turn begins."""
        said: list[str] = []
        for event in events:
            if turn := self._words.turn(event):
                yield from self._joined(said)
                said = []
                self._turn_seat = turn[1]
                yield Text()
                yield self._heading(*turn, self._words.holdings(state))
            elif text := self._words.event(event):
                said.append(text)
        yield from self._joined(said)

    def result(self, outcome: Outcome, retired: Collection[int]) -> Iterator[RenderableType]:
        """Yield why the match ended and the final scoring, best first."""
        yield Text.assemble("\n", ("The end", "bold"), f": {self._words.end(outcome.end)}.\n")
        rows = [self._words.score(line) for line in outcome.scores]
        order = sorted(range(len(rows)), key=lambda seat: (outcome.ranks[seat], seat))
        lines = [
            {
                "rank": Text(str(outcome.ranks[seat])),
                "bot": Text(self.names[seat] + (" (retired)" if seat in retired else "")),
                **{heading: Text(figure) for heading, figure in rows[seat].items()},
                self._game.total_unit: Text(minus(outcome.totals[seat]), "bold"),
            }
            for seat in order
        ]
        table = plain_table(*lines[0])
        for line in lines:
            table.add_row(*line.values())
        page = Console(width=self._width)
        if table.__rich_measure__(page, page.options).minimum > self._width:
            table = plain_table("", *(f"{line['rank']}  {line['bot']}" for line in lines))
            for heading in list(lines[0])[2:]:
                table.add_row(Text(heading, "dim"), *(line[heading] for line in lines))
        yield table

    def _heading(self, turn: int, seat: int, holdings: str) -> Text:
        heading = Text.assemble((f"Turn {turn}  {self.names[seat]}", "bold"))
        heading.append(" " * max(2, self._width - len(heading) - len(holdings)))
        heading.append(holdings, "dim")
        return heading

    def _decision(self, step: Step) -> Iterator[Text]:
        choice, names = step.choice, self.names
        subject = "" if step.seat == self._turn_seat else f"{names[step.seat]} "
        time = f"{choice.charged_ms} ms"
        room = self._width - len(_INDENT)
        retired = " (default: it is retired)" if choice.fault == "retired" else ""
        lines = wrap(f"{subject}{self._words.action(choice.action, step.phase)}{retired}", room - len(time) - 2)
        first = Text.assemble((f"{step.number:>{_NUMBER}}", "dim"), "  ", lines[0])
        first.append(" " * (self._width - len(first) - len(time)))
        first.append(time, "dim")
        yield first
        yield from (Text(f"{_INDENT}{line}") for line in lines[1:])
        if choice.fault is not None and choice.fault != "retired":
            at_fault = f"{names[step.seat]} at fault: {choice.fault}; this is the default"
            yield from (Text(f"{_INDENT}{line}", "red") for line in wrap(at_fault, room))
        if choice.note:
            note = "note withheld" if isinstance(choice.note, Withheld) else choice.note
            yield from (Text(f"{_INDENT}│ {line}", "italic dim") for line in wrap(note, room - 2))

    def _joined(self, said: Sequence[str]) -> Iterator[Text]:
        room = self._width - len(_INDENT)
        line = ""
        for happened, same in groupby(said):
            times = len(list(same))
            text = f"{times} × {happened}" if times > 1 else happened
            longer = f"{line} · {text}" if line else text
            if line and len(longer) > room:
                yield Text(f"{_INDENT}{line}", "green")
                longer = text
            line = longer
        for part in wrap(line, room):
            yield Text(f"{_INDENT}{part}", "green")


def seat_names(seats: Sequence[SeatName]) -> list[str]:
    """Return what to call each seat: its bot's name, with the seat where two bots share one."""
    counts = Counter(seat.bot for seat in seats)
    return [seat.bot if counts[seat.bot] == 1 else f"{seat.bot}/{number}" for number, seat in enumerate(seats)]


def _header(replay: Replay) -> Iterator[Text]:
    header, clock, game = replay.header, replay.header.clock, replay.header.game
    yield Text.assemble(("Match ", "bold"), (header.match_id, "bold cyan"))
    yield Text(f"{game.id}, {len(header.seats)} seats, {len(replay.choices)} decisions")
    given, usual = game.options_to_notation(header.options), game.options_to_notation(game.options({}))
    changed = [f"{key} {value}" for key, value in given.items() if key != "seats" and value != usual.get(key)]
    yield Text(f"Options: {', '.join(changed) or 'the usual'}")
    yield Text(
        f"Clock: {_seconds(clock.bank_ms)} in the bank and {_seconds(clock.increment_ms)} more with each decision, "
        f"at most {_seconds(clock.cap_ms)} for one"
    )
    yield Text(f"Seed: {replay.seed.hex()}", "dim")
    yield Text(f"Commitment: {header.commitment}", "dim")


def plain_table(*headings: str) -> Table:
    """Return a table without frame: names to the left, figures to the right."""
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in {"", "bot", "version"} else "right", no_wrap=True)
    return table


def minus(number: int) -> str:
    """Return a whole number with the minus sign of print."""
    return str(number).replace("-", "−")


def _seconds(ms: int) -> str:
    return f"{ms / 1000:g} s"
