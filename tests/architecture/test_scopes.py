"""Every RPC that there is declares who may call it, and has its method of a desk (design 9)."""

import importlib
import pkgutil
from collections.abc import Iterator

import gavelport.v1
import pytest
from gavelport.v1 import access_pb2
from gavelport_server.lobby.admin_desk import AdminDesk
from gavelport_server.lobby.archive_desk import ArchiveDesk
from gavelport_server.lobby.desks import SERVICES
from gavelport_server.lobby.ladder_desk import LadderDesk
from gavelport_server.lobby.lobby_desk import LobbyDesk
from gavelport_server.lobby.spectate import SpectateDesk
from gavelport_server.transport.methods import method_name, scopes_of
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor

DESKS: dict[str, type] = {
    "LobbyService": LobbyDesk,
    "LadderService": LadderDesk,
    "ReplayService": ArchiveDesk,
    "SpectateService": SpectateDesk,
    "AdminService": AdminDesk,
}
STREAMS = {"RefereeService"}
"""Served by a listener instead."""


def files() -> Iterator[FileDescriptor]:
    """All files of the contract."""
    for module in pkgutil.iter_modules(gavelport.v1.__path__):
        if module.name.endswith("_pb2"):
            descriptor = importlib.import_module(f"gavelport.v1.{module.name}").DESCRIPTOR
            assert isinstance(descriptor, FileDescriptor)
            yield descriptor


def services() -> dict[str, ServiceDescriptor]:
    return {name: service for file in files() for name, service in file.services_by_name.items()}


def faults(service: ServiceDescriptor) -> list[str]:
    """What is wrong with the RPCs of a service."""
    desk = DESKS.get(service.name)
    if desk is None and service.name not in STREAMS:
        return [f"{service.name} has no desk"]
    found = []
    for method in service.methods:
        if not scopes_of(method):
            found.append(f"{method.full_name} declares no scope")
        if desk is not None and not callable(getattr(desk, method_name(method.name), None)):
            found.append(f"{desk.__name__} has no {method_name(method.name)}")
        if method.input_type.name != f"{method.name}Request" or method.output_type.name != f"{method.name}Response":
            found.append(f"{method.full_name} has not its own messages")
    return found


def test_every_rpc_has_a_scope_a_desk_and_messages_of_its_own() -> None:
    assert len(services()) > 5
    assert {name: wrong for name, service in services().items() if (wrong := faults(service))} == {}


def test_all_services_are_served() -> None:
    assert services().keys() == SERVICES.keys() | STREAMS


def test_only_admins_run_the_server_and_only_bots_play() -> None:
    for name, scope in (("AdminService", "admin"), ("RefereeService", "bot")):
        assert {scopes_of(method) for method in services()[name].methods} == {frozenset({scope})}


def planted(
    *scopes: access_pb2.Scope.ValueType, name: str = "GetStatus", service: str = "AdminService"
) -> ServiceDescriptor:
    """A service with one RPC, which declares these scopes."""
    file = descriptor_pb2.FileDescriptorProto(name="planted.proto", package="planted", syntax="proto3")
    file.dependency.append("gavelport/v1/access.proto")
    file.message_type.add(name=f"{name}Request")
    file.message_type.add(name=f"{name}Response")
    rpc = file.service.add(name=service).method.add(
        name=name, input_type=f".planted.{name}Request", output_type=f".planted.{name}Response"
    )
    rpc.options.Extensions[access_pb2.scopes].extend(scopes)
    pool = descriptor_pool.DescriptorPool()
    for needed in (descriptor_pb2.DESCRIPTOR, access_pb2.DESCRIPTOR):
        copy = descriptor_pb2.FileDescriptorProto()
        needed.CopyToProto(copy)
        pool.Add(copy)
    pool.Add(file)
    return pool.FindServiceByName(f"planted.{service}")


@pytest.mark.parametrize(
    ("service", "wrong"),
    [
        (planted(), ["planted.AdminService.GetStatus declares no scope"]),
        (planted(access_pb2.SCOPE_UNSPECIFIED), ["planted.AdminService.GetStatus declares no scope"]),
        (planted(access_pb2.SCOPE_ADMIN, name="Destroy"), ["AdminDesk has no destroy"]),
        (planted(access_pb2.SCOPE_ADMIN, service="RobService"), ["RobService has no desk"]),
    ],
    ids=["none", "unspecified", "method", "desk"],
)
def test_a_planted_fault_is_caught(service: ServiceDescriptor, wrong: list[str]) -> None:
    assert faults(service) == wrong


def test_a_sound_rpc_passes() -> None:
    assert faults(planted(access_pb2.SCOPE_ADMIN)) == []
