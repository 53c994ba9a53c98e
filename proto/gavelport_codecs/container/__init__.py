"""Container's codec: bags and stores, records of actions and events, the position."""
