"""Running matches on pages: what a spectator may see of them, as it happens (design 9, 10).

The serving process sends each watched match's public messages to the pages' process (`broadcast.py`), over a socket
pair and no more than once, however many people look. That process makes scenes of them (`scene.py`), keeps them while
somebody looks (`hall.py`) and tells browsers by server-sent events (`channel.py`, `views.py`).
"""
