"""Shipping's codec: things that messages number, records of actions and events, the position."""
