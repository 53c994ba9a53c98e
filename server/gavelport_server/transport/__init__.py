"""The only room of the server that imports grpc, and where the server's process imports it first.

gRPC by default passes each event of a socket from one of its threads to another before Python hears of it. Its older
way, in which grpc.aio's poller thread reads the server's sockets itself, costs the server a quarter to a third less
CPU (`tests/transport/cost.py`). It is reached by switching off an experiment, which gRPC reads from the environment
while it is imported and not later: so the variable is set for just that, and child processes do not inherit it. A
variable that is set already is respected, and a version of gRPC that may not know the experiment is left alone.
"""

import importlib
import os
from importlib.metadata import version

EXPERIMENTS = "GRPC_EXPERIMENTS"
"""What gRPC reads; empty, it is gRPC as it comes."""
_KNOWN = ("1.85.",)

if EXPERIMENTS not in os.environ and version("grpcio").startswith(_KNOWN):
    os.environ[EXPERIMENTS] = "-event_engine_listener"
    importlib.import_module("grpc")
    del os.environ[EXPERIMENTS]
