"""What holds for all tests."""

from hypothesis import settings

# Tests are deterministic, and a slow machine is no failure.
settings.register_profile("gavelport", derandomize=True, deadline=None)
settings.load_profile("gavelport")
