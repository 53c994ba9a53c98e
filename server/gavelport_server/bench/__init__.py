"""Benchmarks that measure the server against yardsticks."""
