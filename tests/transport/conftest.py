"""Imports the room before grpc, as the server does, so that its setting of gRPC is what the tests run with."""

import gavelport_server.transport  # noqa: F401 - for its effect
