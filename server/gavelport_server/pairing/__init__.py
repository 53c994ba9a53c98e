"""Who meets whom, and in which order: pure, from the size of the field and the results so far."""
