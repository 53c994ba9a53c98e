"""Matches conducted with trio: sessions of bots, the match runner, bot processes."""
