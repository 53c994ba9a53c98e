"""What one hosted bot process may take of the machine."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024
MOST_SLOTS = 1000
"""Processes at the same time, each with a user of its own."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """The limits of one process with all that it starts."""

    memory_bytes: int = 512 * MIB
    """Of memory, swap and scratch together; above it the process is killed."""
    processes: int = 64
    """Processes and threads; gRPC alone has a dozen threads."""
    cores: float = 1.0
    """Of CPU time a second, so that one bot's thinking does not slow another's clock."""
    scratch_bytes: int = 32 * MIB
    """In `/tmp`, which is empty at the start and gone with the process."""
    open_files: int = 256

    def in_words(self, effects: int) -> str:
        """Return what is kept with each match of hosted bots; `effects` of the examination were found to hold."""
        many = "core" if self.cores == 1 else "cores"
        memory = f"{self.memory_bytes // MIB} MiB"
        return f"{effects} effects hold; {memory}, {self.processes} processes, {self.cores:g} {many}"
