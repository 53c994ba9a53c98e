"""Figures for monitoring, in Prometheus's text format.

What is counted as it happens is counted here; what has a state of its own is asked for it when somebody looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client.metrics_core import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_OVERHEAD_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0)
_SYNC_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0)


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

    def journal_bytes(self) -> int:
        """Return how long the journal is on disk."""
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
        self._decisions = Counter("gavelport_decisions", "Answers of bots that a match took.", registry=registry)
        self._overhead = Histogram(
            "gavelport_referee_overhead_seconds",
            "From the arrival of an answer to the sending of what follows, the journal's sync included.",
            buckets=_OVERHEAD_S,
            registry=registry,
        )
        self._sync = Histogram(
            "gavelport_journal_sync_seconds", "What a sync of the journal takes.", buckets=_SYNC_S, registry=registry
        )
        self._storage_errors = Counter("gavelport_storage_errors", "Failures of the database.", registry=registry)
        self._refused = Counter("gavelport_refused_tokens", "Tokens that opened nothing.", registry=registry)

    def watch(self, live: Live) -> None:
        """Ask this server when somebody looks."""
        self._registry.register(_Asking(live))

    def match_over(self, ladder: str, end: str) -> None:
        """Count a match; `end` is the game's word, or `void`."""
        self._matches.labels(ladder, end).inc()

    def answered(self) -> None:
        """Count an answer that a match took."""
        self._decisions.inc()

    def followed(self, seconds: float) -> None:
        """Count how long it took until what follows from an answer was sent."""
        self._overhead.observe(seconds)

    def synced(self, seconds: float) -> None:
        """Count a sync of the journal."""
        self._sync.observe(seconds)

    def storage_failed(self) -> None:
        """Count a failure of the database."""
        self._storage_errors.inc()

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
        yield GaugeMetricFamily("gavelport_journal_bytes", "Length of the journal.", self._live.journal_bytes())
