"""All kinds of hostile bots by name."""

from collections.abc import Callable

from tests.rogues.bots import answers, streams
from tests.rogues.bots.rogue import Rogue

from . import breakouts, files, lives, looks, resources, sockets

KINDS: dict[str, Callable[[], Rogue]] = {
    kind.__name__: kind
    for kind in (
        resources.ForkBomb,
        resources.ForksForEver,
        resources.ThreadBomb,
        resources.MemoryHog,
        resources.MemoryByChildren,
        resources.DiskFill,
        resources.SharedMemoryFill,
        resources.ManyFiles,
        resources.LogFlood,
        resources.LogTricks,
        resources.BusyLoop,
        resources.OpensFiles,
        resources.RaisesPriority,
        sockets.SocketFlood,
        sockets.SocketChurn,
        sockets.SocketJunk,
        sockets.HalfOpen,
        sockets.HandsOverFiles,
        sockets.ReplacesSocket,
        sockets.ReusesSocket,
        looks.LooksForBots,
        looks.LooksForNetwork,
        looks.LooksForFiles,
        looks.LooksForProcesses,
        looks.PrintsSecrets,
        looks.KillsAll,
        looks.StopsItsSandbox,
        looks.KillsTheCanary,
        looks.Traces,
        breakouts.Namespaces,
        breakouts.Mounts,
        breakouts.IoUring,
        breakouts.BecomesRoot,
        breakouts.TurnsKnobs,
        breakouts.SetsTheClock,
        breakouts.Terminal,
        files.DeletesItself,
        files.Links,
        files.DumpsCore,
        lives.IgnoresSigterm,
        lives.LeavesGrandchildren,
        lives.Daemon,
        lives.SleepsForEver,
        lives.ExitsAtOnce,
        lives.ExitsMidMatch,
        lives.TimeBomb,
        lives.WarmBomb,
        answers.Floods,
        answers.SendsHuge,
        answers.AnswersForeignMatches,
        answers.AnswersTwice,
        streams.NeverReads,
        streams.OpensManyStreams,
    )
}
NEVER_THERE = ("ExitsAtOnce",)
"""Those that do not come to a connection."""
IN_ITS_OWN_WAY = ("WarmBomb",)
"""Whose own junk may take all the connections that a process has to its referee, so that it may not come."""
