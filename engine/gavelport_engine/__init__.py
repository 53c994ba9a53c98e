"""The rules of the games: pure, synchronous, standard library only."""
