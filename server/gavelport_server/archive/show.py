"""A match as text that reads well: header, every decision with what came of it, the final scores."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from gavelport_server.archive.playback import Playback
from gavelport_server.archive.verify import verified_steps
from gavelport_server.archive.words.words import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from gavelport_server.archive.playback import Step
    from gavelport_server.archive.record import Replay
    from gavelport_server.archive.words.words import Words
    from gavelport_server.referee.report import SeatName

WIDTH = 100
_NUMBER = 5
_INDENT = " " * (_NUMBER + 2)


def shown(replay: Replay) -> Iterator[RenderableType]:
    """Yield the text piece by piece. Raises Difference where the replay turns out not to be true."""
    names = seat_names(replay.header.seats)
    words = WORDS[replay.header.game.name](names)
    yield from _header(replay, words)
    playback = Playback(replay)
    yield from _happenings(playback.opening.events, words, names, playback.state)
    turn_seat = next((turn[1] for event in playback.opening.events if (turn := words.turn(event))), None)
    for step in verified_steps(playback):
        yield from _decision(step, words, names, turn_seat)
        yield from _happenings(step.events, words, names, playback.state)
        for event in step.events:
            if turn := words.turn(event):
                turn_seat = turn[1]
    yield from _result(playback, words, names)


def seat_names(seats: Sequence[SeatName]) -> list[str]:
    """Return what to call each seat: its bot's name, with the seat where two bots share one."""
    counts = Counter(seat.bot for seat in seats)
    return [seat.bot if counts[seat.bot] == 1 else f"{seat.bot}/{number}" for number, seat in enumerate(seats)]


def _header(replay: Replay, words: Words) -> Iterator[RenderableType]:
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
    sentence, dealt = words.deal(game.deal_to_notation(header.options, replay.seed))
    table = plain_table("seat", "bot", "version", *dealt)
    for seat, name in enumerate(header.seats):
        table.add_row(str(seat), name.bot, name.version, *(column[seat] for column in dealt.values()))
    yield Text()
    yield table
    yield Text(f"\n{sentence} Beside each turn: what the seats have in hand, from seat 0.")


def _decision(step: Step, words: Words, names: Sequence[str], turn_seat: int | None) -> Iterator[Text]:
    choice = step.choice
    subject = "" if step.seat == turn_seat else f"{names[step.seat]} "
    time = f"{choice.charged_ms} ms"
    lines = wrap(f"{subject}{words.action(choice.action, step.phase)}", WIDTH - len(_INDENT) - len(time) - 2)
    first = Text.assemble((f"{step.number:>{_NUMBER}}", "dim"), "  ", lines[0])
    first.append(" " * (WIDTH - len(first) - len(time)))
    first.append(time, "dim")
    yield first
    yield from (Text(f"{_INDENT}{line}") for line in lines[1:])
    if choice.fault is not None:
        yield Text(f"{_INDENT}{names[step.seat]} at fault: {choice.fault}; this is the default", "red")
    if choice.note:
        yield from (Text(f"{_INDENT}│ {line}", "italic dim") for line in wrap(choice.note, WIDTH - len(_INDENT) - 2))


def _happenings(events: Iterable[Any], words: Words, names: Sequence[str], state: Any) -> Iterator[Text]:
    """Yield what came of a decision, several to a line; a heading where a turn begins."""
    said: list[str] = []
    for event in events:
        if turn := words.turn(event):
            yield from _joined(said)
            said = []
            holdings = words.holdings(state)
            heading = Text.assemble("\n", (f"Turn {turn[0]}  {names[turn[1]]}", "bold"))
            heading.append(" " * max(2, WIDTH + 1 - len(heading) - len(holdings)))
            heading.append(holdings, "dim")
            yield heading
        elif text := words.event(event):
            said.append(text)
    yield from _joined(said)


def _joined(said: Sequence[str]) -> Iterator[Text]:
    line = ""
    for happened, same in groupby(said):
        times = len(list(same))
        text = f"{times} × {happened}" if times > 1 else happened
        longer = f"{line} · {text}" if line else text
        if line and len(longer) > WIDTH - len(_INDENT):
            yield Text(f"{_INDENT}{line}", "green")
            longer = text
        line = longer
    if line:
        yield Text(f"{_INDENT}{line}", "green")


def _result(playback: Playback, words: Words, names: Sequence[str]) -> Iterator[RenderableType]:
    end, game = playback.replay.end, playback.game
    scores = game.outcome(playback.state, end.retired).scores
    yield Text.assemble("\n", ("The end", "bold"), f": {words.end(end.end)}.\n")
    rows = [words.score(line) for line in scores]
    table = plain_table("rank", "bot", *rows[0], game.total_unit)
    for seat in sorted(range(len(names)), key=lambda seat: (end.ranks[seat], seat)):
        retired = " (retired)" if seat in end.retired else ""
        total = Text(minus(end.totals[seat]), "bold")
        table.add_row(str(end.ranks[seat]), names[seat] + retired, *rows[seat].values(), total)
    yield table


def plain_table(*headings: str) -> Table:
    """Return a table without frame: names to the left, figures to the right."""
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in {"bot", "version"} else "right", no_wrap=True)
    return table


def minus(number: int) -> str:
    """Return a whole number with the minus sign of print."""
    return str(number).replace("-", "−")


def _seconds(ms: int) -> str:
    return f"{ms / 1000:g} s"
