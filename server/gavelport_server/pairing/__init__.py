"""Who meets whom, and in which order: pure iterators of pairings."""
