"""Exact solver for Canfield solitaire and its family.

::

    from solver import deal, rules, solve, replay

    game = rules("canfield", draw=1, passes=2)
    start = deal(42, game)
    result = solve(start, game)
    print(result.verdict, result.nodes)
    if result.solution is not None:
        print(replay(start, game, result.solution).message)

The names below are the public interface. They are imported when first used, so that ``import solver`` stays quick:
only ``solve`` and ``Result`` need the compiled engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.cards import BadInput
    from solver.game import Move
    from solver.position import Position
    from solver.rulesets import Rules, rules
    from solver.solution import Replay, replay
    from solver.solving import Result, solve
    from solver.sources import deal

__version__ = "0.1.0"
__all__ = ["BadInput", "Move", "Position", "Replay", "Result", "Rules", "deal", "replay", "rules", "solve"]

_HOMES = {
    "BadInput": "cards",
    "Move": "game",
    "Position": "position",
    "Replay": "solution",
    "Result": "solving",
    "Rules": "rulesets",
    "deal": "sources",
    "replay": "solution",
    "rules": "rulesets",
    "solve": "solving",
}


def __getattr__(name: str) -> object:
    """Import a public name from the module that holds it; called once a name, which then stays."""
    if name not in _HOMES:
        raise AttributeError(f"module 'solver' has no attribute {name!r}")
    value = getattr(import_module(f"solver.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
