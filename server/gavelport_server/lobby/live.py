"""What desks ask of the ladders that run (`conduct/ladder/service.py`); everything of it is used in the trio thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gavelport_server.conduct.ladder.listing import RunningMatch
    from gavelport_server.conduct.ladder.spectate import SpectatorFeed


class Requests(Protocol):
    """What owners and admins ask for; refused with ServiceError."""

    def challenge(self, bot: str, opponents: Sequence[str], ladder: str) -> str:
        """Begin an unrated match and return its id."""
        ...

    def void_running(self, match_id: str, reason: str) -> bool:
        """End a running match as void; return whether there was one."""
        ...

    def void_known(self, match_id: str, ladder: str, bots: Sequence[str], *, is_rated: bool) -> None:
        """Take note of a result that was taken out of the ratings."""
        ...

    def rerun(self, match_id: str) -> str:
        """Have a void match played again and return the id of the new one."""
        ...

    async def save(self) -> None:
        """Keep what is to be played again."""
        ...


class Live(Protocol):
    """The ladders."""

    is_paused: bool
    is_draining: bool
    hosting: str
    """Why this server runs no submitted bots, in words; empty where it does."""

    @property
    def requests(self) -> Requests:
        """Return where requests go."""
        ...

    def pause(self, *, is_paused: bool) -> None:
        """Begin no new matches, or begin them again."""
        ...

    async def refresh(self) -> None:
        """Read owners, bots and versions anew."""
        ...

    def running(self, ladder: str = "") -> Sequence[RunningMatch]:
        """Return the running matches of a ladder, or of all."""
        ...

    def connected_names(self) -> Sequence[str]:
        """Return the bots that are connected."""
        ...

    @property
    def hosted_words(self) -> Callable[[str], str]:
        """Return what tells what keeps a hosted bot from playing, in words; empty where nothing does."""
        ...

    @property
    def held_back(self) -> Callable[[str], str]:
        """Return what tells why a bot that could play gets no matches for now, in words; empty where it does."""
        ...

    def playing_version(self, bot: str) -> str:
        """Return the version of a bot that plays rated matches."""
        ...

    def spectate(self, match_id: str) -> SpectatorFeed | None:
        """Return what spectators of a running match are told by."""
        ...
