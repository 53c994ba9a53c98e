"""The referee's core: no trio, gRPC, clock or storage; time is an argument (design 4)."""
