"""Where tournaments and results are kept."""
