"""Container (`container.md`): 3 to 5 seats, hidden cash and value cards, sealed-bid auctions."""
