"""Replays: written once, verified, shown and exported."""
