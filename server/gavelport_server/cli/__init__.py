"""The command line: one module a command, thin over the rooms that do the work."""
