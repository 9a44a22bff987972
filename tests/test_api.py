"""The public interface: a handful of names, imported when they are used."""

import subprocess
import sys
from pathlib import Path

import pytest

import solver

ROOT = Path(__file__).parent.parent


def modules_after(code: str) -> set[str]:
    """The modules that a fresh Python holds after running ``code``."""
    done = subprocess.run([sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], check=True, cwd=ROOT,
                          capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("name", solver.__all__)
def test_every_public_name_is_documented_and_lives_where_the_package_says(name: str):
    value = getattr(solver, name)
    assert value.__doc__ and value.__name__ == name
    assert value.__module__ == f"solver.{solver._HOMES[name]}"
    assert name in dir(solver)


def test_the_names_are_those_that_are_promised():
    assert set(solver.__all__) == set(solver._HOMES)
    assert set(solver.__all__) >= {"deal", "rules", "solve", "replay", "Rules", "Position", "Move", "Result", "BadInput"}


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'solver' has no attribute 'shuffle_cards'"):
        solver.shuffle_cards


def test_only_solving_imports_numba():
    assert "numba" not in modules_after("import solver; solver.deal(42, solver.rules()); solver.replay")
    assert "numba" in modules_after("import solver; solver.solve")


def test_deal_solve_and_replay_fit_together():
    game = solver.rules("second-life", draw=2)
    start = solver.deal(3, game)
    result = solver.solve(start, game)
    assert isinstance(result, solver.Result) and result.position == start and result.rules == game
    assert result.verdict == "winnable" and all(isinstance(move, solver.Move) for move in result.solution)
    assert solver.replay(start, game, result.solution) == (True, len(result.solution),
                                                           f"won in {len(result.solution)} moves")


def test_the_same_call_gives_the_same_result():
    game = solver.rules("canfield")
    first, second = (solver.solve(solver.deal(3, game), game) for _ in range(2))
    assert (first.verdict, first.nodes, first.solution) == (second.verdict, second.nodes, second.solution)


def test_bad_input_is_one_kind_of_error():
    with pytest.raises(solver.BadInput, match="unknown variant"):
        solver.rules("bridge")
    with pytest.raises(solver.BadInput, match="unknown card"):
        solver.deal("9C XX", solver.rules())
    with pytest.raises(solver.BadInput):
        solver.deal(-1, solver.rules())


def test_the_version_is_that_of_the_program():
    done = subprocess.run([sys.executable, "-m", "solver", "--version"], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == f"canfield-solve, version {solver.__version__}\n"
