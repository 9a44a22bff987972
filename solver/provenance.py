"""Where results come from: version and commit of the program, and the machine."""

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from solver import __version__

PACKAGE = Path(__file__).resolve().parent


def provenance() -> dict:
    """Version, commit (None outside a checkout, with ``+`` behind it where files were changed since) and machine."""
    return {"version": __version__, "commit": _commit(), "machine": _machine()}


def _commit() -> str | None:
    """The commit of the checkout that this package lies in, if it lies in one and belongs to it."""
    if _git("ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    commit = _git("rev-parse", "HEAD")
    return commit and commit + ("+" if _git("status", "--porcelain", ".") else "")


def _git(*command: str) -> str | None:
    try:
        done = subprocess.run(["git", *command], cwd=PACKAGE, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _machine() -> dict:
    """Processor, cores, system and the packages that the engine is made with."""
    packages = {}
    for package in ("numba", "llvmlite", "numpy"):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            packages[package] = None
    return {"processor": _processor(), "cores": os.cpu_count(), "system": platform.platform(),
            "python": platform.python_version(), **packages}


def _processor() -> str:
    """The processor's name; Linux tells it in a file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
