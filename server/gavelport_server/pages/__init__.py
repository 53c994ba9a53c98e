"""The web: JSON, health and metrics, pages (design 10)."""
