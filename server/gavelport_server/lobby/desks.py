"""All desks of a server, by the service whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio
from gavelport.v1 import admin_pb2, archive_pb2, ladder_pb2, lobby_pb2, spectate_pb2

from gavelport_server.lobby.admin_desk import AdminDesk
from gavelport_server.lobby.archive_desk import ArchiveDesk
from gavelport_server.lobby.board import Boards
from gavelport_server.lobby.examiner import Examiner
from gavelport_server.lobby.ladder_desk import LadderDesk
from gavelport_server.lobby.lobby_desk import LobbyDesk
from gavelport_server.lobby.packages import Packages
from gavelport_server.lobby.spectate import SpectateDesk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from google.protobuf.descriptor import ServiceDescriptor

    from gavelport_server.archive.files import ReplayFolder
    from gavelport_server.lobby.board import LadderStore
    from gavelport_server.lobby.gate import Gate
    from gavelport_server.lobby.intake import Accounts
    from gavelport_server.lobby.live import Live

SERVICES: dict[str, ServiceDescriptor] = {
    name: service
    for file in (lobby_pb2, ladder_pb2, archive_pb2, spectate_pb2, admin_pb2)
    for name, service in file.DESCRIPTOR.services_by_name.items()
}
"""Those that are served by desks, by name."""


class Desks:
    """The desks, and the tables that some of them share."""

    def __init__(
        self,
        store: LadderStore,
        members: Accounts,
        replays: ReplayFolder,
        data: Path,
        live: Live,
        gate: Gate,
        *,
        epoch: int,
        drain: Callable[[], None],
    ) -> None:
        """Take what they work on.

        Args:
            store: results and ratings.
            members: accounts; it may be the same.
            replays: the replays.
            data: the data folder, which has the fits.
            live: the ladders that run.
            gate: is told to look when tokens have changed.
            epoch: counts the servers that have had this database.
            drain: has the server end once what runs is over; called in the trio thread.
        """
        self.boards = Boards(store, members, data)
        """`warm` in a thread at the start spares the first who ask the wait."""
        packages = Packages(data)
        packages.sweep()
        self.examiner = Examiner(members, packages, data / "logs" / "examined", live.refresh)
        """`run` it where there is a launcher."""
        self.by_name: dict[str, Any] = {
            "LobbyService": LobbyDesk(
                members, store, packages, live, self.examiner, lambda: trio.from_thread.run_sync(gate.look_soon)
            ),
            "LadderService": LadderDesk(store, self.boards, live),
            "ReplayService": ArchiveDesk(store, members, replays),
            "SpectateService": SpectateDesk(live),
            "AdminService": AdminDesk(members, store, self.boards, live, epoch=epoch, drain=drain),
        }
        self.by_service = {SERVICES[name]: desk for name, desk in self.by_name.items()}
        """As `transport.services.Services` takes them."""
