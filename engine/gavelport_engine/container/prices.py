"""The printed figures of the boards (`container.md 1.6`) and of single actions."""

FACTORY_PRICES = (0, 6, 9, 12)
"""What the factory slots cost (1.6); nobody pays for the first."""
WAREHOUSE_PRICES = (0, 4, 5, 6, 7)
"""Likewise for warehouses."""
SHIP_CAPACITY = 5
DOMESTIC_PRICE = 2
"""What the bank pays in a domestic sale (4.1)."""
UNION_WAGE = 1
"""What Produce costs (5.2)."""
