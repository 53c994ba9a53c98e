"""A small separate process that starts, confines, reaps and kills bots; it alone holds privileges (design 9)."""
