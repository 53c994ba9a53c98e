"""The server's log: fields of a list, a file that may be moved away, no line that fails the run."""

import ast
import json
import logging
from pathlib import Path
from typing import Any

import gavelport_server
import pytest
import structlog
from gavelport_server.log import FIELDS, log_lines

SOURCES = Path(next(iter(gavelport_server.__path__)))
METHODS = {"debug", "info", "warning", "error", "exception"}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def strange_fields(source: str) -> list[str]:
    """Fields that a module logs and the list does not have; `exc_info` becomes the field `exception`."""
    return [
        keyword.arg or "**"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "_log"
        and node.func.attr in METHODS
        for keyword in node.keywords
        if keyword.arg not in FIELDS | {"exc_info"}
    ]


def test_a_line_is_json_and_has_only_fields_of_the_list(tmp_path: Path) -> None:
    with log_lines(tmp_path / "log", "info", pytest.fail):
        structlog.get_logger().info("bot_connected", bot="mine", token="gp_canary", seed="c0ffee")
        structlog.get_logger().debug("not wanted")
    (line,) = lines(tmp_path / "log")
    assert (line["event"], line["bot"]) == ("bot_connected", "mine")
    assert line["text"] == "left out, being no field of the log: seed, token"
    assert "canary" not in str(line)
    assert "c0ffee" not in str(line)


def test_every_field_that_the_server_logs_is_on_the_list() -> None:
    sources = {path: path.read_text("utf-8") for path in SOURCES.rglob("*.py")}
    assert sum("_log." in source for source in sources.values()) > 5
    assert {str(path): strange for path, source in sources.items() if (strange := strange_fields(source))} == {}


def test_a_field_that_is_not_on_the_list_is_caught() -> None:
    assert strange_fields('_log.info("dealt", match=m, hand=cards)\n_log.error("x", **all)') == ["hand", "**"]


def test_a_file_that_is_moved_away_is_opened_anew(tmp_path: Path) -> None:
    log = structlog.get_logger()
    with log_lines(tmp_path / "log", "info", pytest.fail):
        log.info("first")
        (tmp_path / "log").rename(tmp_path / "log.1")
        log.info("second")
    assert [[line["event"] for line in lines(tmp_path / name)] for name in ("log.1", "log")] == [["first"], ["second"]]


def test_without_a_file_lines_go_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with log_lines(None, "warning", pytest.fail):
        structlog.get_logger().warning("on_stderr", match="m1")
    assert json.loads(capfd.readouterr().err)["match"] == "m1"


def test_warnings_of_libraries_become_lines(tmp_path: Path) -> None:
    with log_lines(tmp_path / "log", "info", pytest.fail):
        logging.getLogger("grpc.somewhere").error("odd: %s", 3)
        logging.getLogger("grpc.somewhere").info("chatter")
    (line,) = lines(tmp_path / "log")
    assert (line["event"], line["library"], line["text"]) == ("library", "grpc.somewhere", "odd: 3")


def test_a_log_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told: list[str] = []
    with log_lines(tmp_path / "file" / "log", "info", told.append):
        structlog.get_logger().info("lost")
        structlog.get_logger().info("lost")
    assert len(told) == 1
    assert "cannot be written" in told[0]
