"""Ladders: who is there, who meets whom, and what is kept of it, for as long as the server runs."""
