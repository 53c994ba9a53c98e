"""Shipping (`shipping.md`): 2 to 5 seats, hidden orders, point-to-point transport, markets and shares."""
