"""Engine values to protobuf messages and back, one module a game."""
