"""Packages that only some commands need, imported when they are: the extras of the installation."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from solver.cards import BadInput

EXTRAS = {"scipy": "odds", "pyarrow": "odds", "matplotlib": "plot", "distributed": "cluster"}
"""Which extra of the installation brings which package."""


def require(package: str) -> None:
    """Raise BadInput that names the extra to install where a package is missing; without importing it."""
    if find_spec(package) is None:
        raise BadInput(f"{package} is needed here: pip install 'canfield-solve[{EXTRAS[package]}]'")


def load(module: str) -> ModuleType:
    """The module of that dotted name. Raises BadInput as :func:`require` does."""
    require(module.partition(".")[0])
    return import_module(module)
