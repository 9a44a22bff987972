"""Packages that only some commands need, imported when they are: the extras of the installation."""

from importlib import import_module
from types import ModuleType

from solver.cards import BadInput

EXTRAS = {"scipy": "odds", "pyarrow": "odds", "matplotlib": "plot", "distributed": "cluster"}
"""Which extra of the installation brings which package."""


def load(module: str) -> ModuleType:
    """The module of that dotted name. Raises BadInput that names the extra to install where it is missing."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise BadInput(f"{package} is needed here: pip install 'canfield-solve[{EXTRAS[package]}]'") from None
