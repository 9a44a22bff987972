"""What the program imports and compiles before it does its work, each time in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

from solver.program import COMPILING

ROOT = Path(__file__).parent.parent
compiles = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)


def test_help_does_not_wait_for_numba():
    done = run("import sys; from solver.cli import main\n"
               "try: main(['--help'])\nfinally: print('numba' in sys.modules)")
    assert done.returncode == 0 and done.stdout.endswith("\nFalse\n")


@compiles
def test_compiling_is_announced_once_and_only_when_it_happens():
    code = "from solver.program import load_solve; load_solve(); load_solve(); import numba"
    quiet, told = run(code), run(f"{code}; twice = numba.njit(lambda x: 2 * x); twice(1); twice(1.5)")
    assert (quiet.stderr, told.stderr) == ("", f"{COMPILING}\n")


@compiles
def test_solving_does_not_wait_for_scipy_but_leaves_it_to_others():
    """To numba's own matrix products, for one."""
    pytest.importorskip("scipy")
    done = run("import sys, numba, numpy; from solver.program import load_solve; load_solve()\n"
               "numba.njit(lambda x: 2 * x)(1); print('scipy.linalg' in sys.modules)\n"
               "print(numba.njit(lambda x: numpy.dot(x, x))(numpy.ones(3)), 'scipy.linalg' in sys.modules)")
    assert done.stdout.split() == ["False", "3.0", "True"]


def test_scipy_that_is_imported_already_stays():
    pytest.importorskip("scipy")
    done = run("import sys, scipy.linalg.cython_blas; before = sys.modules['scipy.linalg.cython_blas']\n"
               "from solver.program import load_solve; load_solve()\n"
               "print(sys.modules['scipy.linalg.cython_blas'] is before)")
    assert done.stdout == "True\n"
