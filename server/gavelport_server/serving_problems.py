"""What can be wrong with the settings of `gavelport serve` beyond their types: files, addresses, names (design 8)."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gavelport_server import shipped
from gavelport_server.config import game_problems, split_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gavelport_server.serving import Place

_DATABASES = ("postgresql", "sqlite")


def problems_beyond_types(given: Mapping[str, Any], sources: Mapping[Place, str]) -> list[str]:
    """Return what is wrong beyond the types, looking only at what has the right one.

    Args:
        given: the settings as they were read, by table and key.
        sources: whence a setting comes that is not of the file, for people.
    """

    def where(*place: str) -> str:
        return sources.get(place, ".".join(place))

    problems: list[str] = []
    tls = given.get("tls")
    for key in ("listen", "http"):
        address = given.get(key)
        if isinstance(address, str):
            problems += [f"{where(key)}: {problem}" for problem in _address_problems(address, key, has_tls=bool(tls))]
    proxy = given.get("trusted_proxy")
    if isinstance(proxy, str) and (problem := _proxy_problem(proxy)):
        problems.append(f"{where('trusted_proxy')}: {problem}")
    if isinstance(tls, dict):
        problems += [
            f"{where('tls', key)}: {tls[key]} cannot be read; name a file in PEM"
            for key in ("cert", "key", "client_ca")
            if isinstance(tls.get(key), str) and not _is_readable(Path(tls[key]))
        ]
    database = given.get("database")
    if isinstance(database, str) and database.partition("://")[0].partition("+")[0] not in _DATABASES:
        problems.append(f"{where('database')}: should begin with postgresql:// or sqlite:///")
    names = given.get("sample_bots")
    if isinstance(names, list):
        known = [folder.name for folder in shipped.sample_bots()]
        problems += [
            f'{where("sample_bots")}: no sample bot is named "{name}"; there are: {", ".join(known)}'
            for name in names
            if isinstance(name, str) and name not in known
        ]
    return problems + _ladder_problems(given.get("ladder"))


def _ladder_problems(ladders: object) -> list[str]:
    problems: list[str] = []
    seen: dict[object, int] = {}
    for number, one in enumerate(ladders if isinstance(ladders, list) else []):
        if not isinstance(one, dict):
            continue
        problems += [f"ladder.{number}.{problem}" for problem in game_problems(one)]
        name = one.get("name")
        if isinstance(name, str) and seen.setdefault(name, number) != number:
            problems.append(f'ladder.{number}.name: ladder.{seen[name]} is named "{name}" too; name each differently')
    return problems


def _address_problems(address: str, key: str, *, has_tls: bool) -> Sequence[str]:
    if key == "listen" and address.startswith("unix:"):
        return [] if address.removeprefix("unix:") else ["names no path after unix:"]
    try:
        host, _ = split_address(address)
    except ValueError as error:
        return [str(error)]
    if not has_tls and not _is_loopback(host):
        return [f"{address} can be reached from elsewhere, which needs TLS; set tls.cert and tls.key, or use 127.0.0.1"]
    return []


def _proxy_problem(text: str) -> str | None:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return f'should be an address or a network, as 10.0.0.5 or 10.0.0.0/24, not "{text}"'
    if not network.prefixlen:
        return f"{text} is everybody, who could then go by any address; name the proxy's own"
    if ipaddress.ip_interface(text).ip != network.network_address:
        return f"{text} is an address within a network; write {network} for all of it, or the address alone"
    return None


def _is_loopback(host: str) -> bool:
    """Return whether a host is this machine only, by its name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_readable(path: Path) -> bool:
    try:
        with path.open("rb"):
            return True
    except OSError:
        return False
