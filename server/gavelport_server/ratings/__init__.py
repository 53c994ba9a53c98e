"""Ratings: pure numbers over results."""
