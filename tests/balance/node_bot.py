"""A bot on Node asked in this process: its strategy is a pure function, called over a pipe without gRPC."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any

from gavelport.v1 import game_pb2
from gavelport_codecs.registry import codec_for
from google.protobuf.json_format import MessageToDict, ParseDict

from tests.sample_bots.bots import SAMPLE_BOTS

if TYPE_CHECKING:
    from collections.abc import Callable

CODEC = codec_for("shipping")
PROGRAM = """
const { decide } = require('./strategy.js');
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => console.log(JSON.stringify(decide(...JSON.parse(line)))));
"""


@cache
def _process() -> subprocess.Popen[str]:
    """Start the one process that answers for all matches; it ends when its standard input does."""
    folder = SAMPLE_BOTS / "shipping_trader"
    return subprocess.Popen(
        ["node", "-e", PROGRAM], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def shipping_trader(seat: int, years: int) -> Callable[[Any], Any]:
    """Return what the bot answers on a seat: a function from the whole state to an action."""
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    given, told = process.stdin, process.stdout

    def decide(state: Any) -> Any:
        seen = game_pb2.GameObservation.FromString(CODEC.observed(CODEC.public(state), state, seat))
        observation = MessageToDict(
            seen.shipping, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
        given.write(json.dumps([seat, years, observation]) + "\n")
        given.flush()
        message = game_pb2.GameAction()
        ParseDict({"shipping": json.loads(told.readline())}, message)
        return CODEC.decode_action(message)

    return decide
