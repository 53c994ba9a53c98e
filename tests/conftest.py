"""What holds for all tests."""

from hypothesis import settings

from tests.postgres import postgres_url

__all__ = ["postgres_url"]  # a fixture for all

# Tests are deterministic, and a slow machine is no failure.
settings.register_profile("gavelport", derandomize=True, deadline=None)
settings.load_profile("gavelport")
