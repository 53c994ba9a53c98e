"""What `gavelport check` looks at, by real matches at a real server (design 12)."""
