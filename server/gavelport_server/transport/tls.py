"""TLS: certificates from files, read anew when these change (design 9)."""

from __future__ import annotations

import ipaddress
import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc
import structlog

from gavelport_server.transport.home import TransportError

if TYPE_CHECKING:
    from pathlib import Path

_log = structlog.get_logger(__name__)
_Stamp = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Tls:
    """The PEM files of a server."""

    cert: Path
    """The certificate, and after it those that lead to the authority."""
    key: Path
    client_ca: Path | None = None
    """Authorities; with them, a client must show a certificate that one of them signed."""


def is_local(address: str) -> bool:
    """Return whether an address, a server's own or a client's target, is of this machine: loopback, a unix socket."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.rpartition(":")[0].removeprefix("dns:").strip("/[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def server_credentials(tls: Tls) -> grpc.ServerCredentials:
    """Return credentials that follow the files: a handshake after a change has the new certificate.

    While the files cannot be used, as when one of two was replaced, the last good ones go on; the log says why.

    Raises:
        TransportError: the files cannot be used now.
    """
    files = _Files(tls)
    return grpc.dynamic_ssl_server_credentials(
        files.read(),
        files.newer,  # type: ignore[arg-type]  # None, which the stubs forget, stands for "as before"
        require_client_authentication=tls.client_ca is not None,
    )


class _Files:
    """The files, as last read. `newer` is called in threads of gRPC."""

    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self._lock = threading.Lock()
        self._stamp: _Stamp = ()

    def read(self) -> grpc.ServerCertificateConfiguration:
        """Return what is in the files. Raises TransportError."""
        tls = self._tls
        self._stamp = self._stamp_now()
        for path in filter(None, (tls.cert, tls.key, tls.client_ca)):
            try:
                path.read_bytes()
            except OSError as error:
                raise TransportError(f"{path} cannot be read: {error.strerror}; TLS needs it") from error
        # OpenSSL says what is wrong; gRPC would refuse every handshake without a word.
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls.cert, tls.key, password=_refuse_password)
        except (ssl.SSLError, ValueError) as error:
            raise TransportError(
                f"{tls.cert} and {tls.key} are no certificate with its key, both in PEM: {_reason(error)}"
            ) from error
        roots = None
        if tls.client_ca is not None:
            roots = tls.client_ca.read_bytes()
            try:
                context.load_verify_locations(tls.client_ca)
            except ssl.SSLError as error:
                raise TransportError(
                    f"{tls.client_ca} holds no certificate of an authority, in PEM: {_reason(error)}"
                ) from error
        return grpc.ssl_server_certificate_configuration([(tls.key.read_bytes(), tls.cert.read_bytes())], roots)

    def newer(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what is in the files if they have changed and can be used, else None."""
        with self._lock:
            if self._stamp_now() == self._stamp:
                return None
            try:
                found = self.read()
            except (TransportError, OSError) as error:
                _log.warning("certificates_unusable", error=str(error))
                return None
            _log.info("certificates_read_anew", cert=str(self._tls.cert))
            return found

    def _stamp_now(self) -> _Stamp:
        paths = (self._tls.cert, self._tls.key, self._tls.client_ca)
        try:
            found = [path.stat() for path in paths if path is not None]
        except OSError:
            return ()
        return tuple((each.st_mtime_ns, each.st_ino) for each in found)


def _refuse_password() -> str:
    raise ValueError("the key is locked by a password; give one without")


def _reason(error: Exception) -> str:
    """Return what OpenSSL says; where it names no reason, what is in a file is something else altogether."""
    if isinstance(error, ssl.SSLError):
        return error.reason or "what is in them is something else"
    return str(error)
