"""Whether a game keeps its rules and the interface: case files and laws.

`python -m gavelport_engine.conformance FILE…` runs case files of the notation (`cases.py`). The laws
of the game interface are functions for every game, a third party's too (`laws.py`).
"""
