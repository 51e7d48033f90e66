"""What all tests share."""

from pathlib import Path

from hypothesis import settings

DATA = Path(__file__).parent / "data"

# The machine may be busy: a slow example is no failure, and CI must not depend on chance.
settings.register_profile("arena", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("arena")
