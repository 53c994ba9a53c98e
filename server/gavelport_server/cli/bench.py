"""`gavelport bench`: how fast engine and referee are, beside a yardstick measured in the same run."""

from __future__ import annotations

import json
import sys
from typing import Any

import click
from gavelport_engine.registry import GAMES
from rich.table import Table

from gavelport_server.bench.engine import run_engine_bench
from gavelport_server.bench.referee import run_referee_bench
from gavelport_server.cli.data import console, json_option
from gavelport_server.cli.groups import Group
from gavelport_server.transport.yardstick import YardstickError


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def bench() -> None:
    """Measure engine and referee against yardsticks in the same run."""


@bench.command()
@click.option("--game", type=click.Choice(list(GAMES)), default=next(iter(GAMES)), show_default=True)
@json_option
def engine(game: str, *, as_json: bool) -> None:
    """Measure random playouts on one core, four seats, against catanatron's."""
    figures = run_engine_bench(GAMES[game])
    if as_json:
        click.echo(json.dumps(figures))
        return
    _print(
        {
            "game": figures["game"],
            "decisions a second": f"{figures['decisions_per_second']:,}",
            "decisions a game": f"{figures['decisions_per_game']:,}",
            "share of passes": f"{figures['pass_share']:.1%}",
            "games, by how they ended": ", ".join(f"{ends} by {end}" for end, ends in figures["ends"].items()),
            "catanatron, decisions a second": "not installed"
            if figures["catanatron"] is None
            else f"{figures['catanatron']:,}",
            "ratio": "not measured" if figures["ratio"] is None else f"{figures['ratio']:.2f}",
        }
    )


@bench.command()
@json_option
def referee(*, as_json: bool) -> None:
    """Measure the referee's CPU time an answer against bare grpc.aio ping-pong of messages of the same sizes."""
    try:
        figures = run_referee_bench()
    except YardstickError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(figures))
        return
    for streams, one in figures["streams"].items():
        _print(
            {
                f"{streams} streams: ratio": f"{one['ratio']:.2f}",
                "referee, µs an answer": f"{one['ours_us']:.0f}",
                "bare ping-pong, µs a round trip": f"{one['raw_us']:.0f}",
                "bytes, down and up": f"{one['down_bytes']:.0f} and {one['up_bytes']:.0f}",
            }
        )


def _print(lines: dict[str, Any]) -> None:
    table = Table.grid(padding=(0, 3, 0, 0))
    for what, figure in lines.items():
        table.add_row(what, figure)
    console().print(table)
