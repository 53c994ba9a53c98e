"""A game's decisions and events in words, one module a game."""
