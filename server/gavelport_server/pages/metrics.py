"""Figures for monitoring, in Prometheus's text format.

What is counted as it happens is counted here; what has a state of its own is asked for it when somebody looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client.metrics_core import Metric

disable_created_metrics()  # type: ignore[no-untyped-call]  # a series beside each, which says when it began

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_OVERHEAD_S = (0.0005, 0.001, 0.0015, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 1.0)


class Live(Protocol):
    """What is asked when somebody looks; quick, and in the trio thread."""

    def running(self) -> Mapping[str, int]:
        """Return the running matches by ladder."""
        ...

    def connected(self) -> int:
        """Return how many bots are connected."""
        ...

    def streams(self) -> int:
        """Return how many streams are open."""
        ...

    def is_failing(self) -> bool:
        """Return whether database or journal keep new matches from being begun."""
        ...

    def journal(self) -> JournalFigures:
        """Return what the journal did since the start."""
        ...


class JournalFigures(Protocol):
    """What a journal did."""

    @property
    def groups(self) -> int:
        """Return the number of writes, each with a sync."""
        ...

    @property
    def entries(self) -> int:
        """Return the number of entries in them."""
        ...

    @property
    def sync_s(self) -> float:
        """Return the seconds that they took altogether."""
        ...

    @property
    def slowest_sync_s(self) -> float:
        """Return the seconds that the slowest took."""
        ...


class Metrics:
    """The figures of one server."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._matches = Counter(
            "gavelport_matches",
            "Matches that are over, by ladder and how they ended.",
            ["ladder", "end"],
            registry=registry,
        )
        self._overhead = Histogram(
            "gavelport_referee_overhead_seconds",
            "Answers that matches took: from the arrival to the sending of what follows, the journal's sync included.",
            buckets=_OVERHEAD_S,
            registry=registry,
        )
        self._refused = Counter("gavelport_refused_tokens", "Tokens that opened nothing.", registry=registry)

    def watch(self, live: Live) -> None:
        """Ask this server when somebody looks."""
        self._registry.register(_Asking(live))

    def match_over(self, ladder: str, end: str) -> None:
        """Count a match; `end` is the game's word, or `void`."""
        self._matches.labels(ladder, end).inc()

    def followed(self, seconds: float) -> None:
        """Count how long it took until what follows from an answer was sent."""
        self._overhead.observe(seconds)

    def token_refused(self) -> None:
        """Count a token that opened nothing."""
        self._refused.inc()

    def text(self) -> bytes:
        """Return all figures."""
        return generate_latest(self._registry)


class _Asking(Collector):
    """Figures that somebody else holds."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def collect(self) -> Iterator[Metric]:
        """Yield the figures as they are now."""
        running = GaugeMetricFamily("gavelport_running_matches", "Matches that are being played.", labels=["ladder"])
        for ladder, number in self._live.running().items():
            running.add_metric([ladder], number)
        yield running
        yield GaugeMetricFamily("gavelport_connected_bots", "Bots that are connected.", self._live.connected())
        yield GaugeMetricFamily("gavelport_streams", "Streams that are open.", self._live.streams())
        failing = int(self._live.is_failing())
        yield GaugeMetricFamily("gavelport_storage_failing", "1 while database or journal fail, else 0.", failing)
        journal = self._live.journal()
        yield SummaryMetricFamily(
            "gavelport_journal_sync_seconds", "Writes of the journal, each with a sync.", journal.groups, journal.sync_s
        )
        slowest = journal.slowest_sync_s
        yield GaugeMetricFamily("gavelport_journal_slowest_sync_seconds", "The slowest since the start.", slowest)
        yield CounterMetricFamily("gavelport_journal_entries", "Entries of the journal.", journal.entries)
