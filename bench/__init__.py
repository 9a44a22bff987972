"""Measurements of the solver: ``python -m bench --help``. Not installed, not timed in tests."""
