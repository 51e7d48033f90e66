"""Where a Python with sb3-contrib is; torch is too large to be fetched for every run of the tests."""

import sys
from importlib.util import find_spec
from pathlib import Path

OWN = Path(__file__).parents[2] / ".venv/learning/bin/python"
"""What `make test-ppo` makes."""
LEARNING = Path(sys.executable) if find_spec("sb3_contrib") else OWN

collect_ignore = [] if LEARNING.exists() else ["test_train_ppo.py"]
"""Not a skipped test, which would be a failure where all that can be tested must be: it is an offer, like a bench."""
