"""The wire contract of Gavelport, one folder a version of the protocol."""
