"""The README's commands print what it says, and its map names every file.

``PYTHONPATH=. python tests/test_readme.py`` runs the commands and writes their output into the README. A line ``...`` there stands
for any number of lines; times are not compared.
"""

import ast
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from solver.program import COMPILING

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
ANY_LINES = "..."

_SESSION = re.compile(r"```console\n(.*?)```", re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_SECONDS = re.compile(r" +\d+\.\d\d s\b|\"seconds\": [\d.e-]+")


def readme_commands() -> list[tuple[str, str]]:
    """Every command of the README's console sessions with the output that is printed there."""
    return [found for session in _SESSION.findall(README.read_text(encoding="utf-8"))
            for found in _COMMAND.findall(session)]


def run_session(commands: list[str], folder: Path) -> list[str]:
    """What the commands print, both streams, run one after the other in a copy of nothing but the tests' data."""
    if not (folder / "tests").exists():
        (folder / "tests").symlink_to(ROOT / "tests")
    settings = {**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    program = f'canfield-solve() {{ "{sys.executable}" -m solver "$@"; }}\n'
    outputs = [subprocess.run(["bash", "-c", program + command], cwd=folder, env=settings, text=True, encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).stdout
               for command in commands]
    return [output.replace(f"{COMPILING}\n", "") for output in outputs]


def without_times(text: str) -> str:
    """``text`` with every time in seconds masked."""
    return _SECONDS.sub(" T s", text)


def split_parts(text: str) -> list[str]:
    """The parts of an output between its ``...`` lines."""
    return re.split(rf"^{re.escape(ANY_LINES)}\n", text, flags=re.MULTILINE)


def matches(printed: str, shown: str) -> bool:
    """Is ``printed`` what the README shows, where ``...`` lines stand for any lines and times for any times?"""
    parts = [re.escape(without_times(part)) for part in split_parts(shown)]
    return re.fullmatch("(?:.*\n)*?".join(parts), without_times(printed)) is not None


def test_the_readme_shows_real_output(tmp_path: Path):
    commands = readme_commands()
    assert len(commands) >= 6
    for (command, shown), printed in zip(commands, run_session([command for command, _ in commands], tmp_path)):
        assert matches(printed, shown), f"$ {command}\n{printed}"


@pytest.mark.parametrize("shown, same", [
    ("a\nwon (5 nodes, 0.10 s)\n", True), ("a\n...\n", True), ("...\nwon (5 nodes, 0.11 s)\n", True), ("...\n", True),
    ("a\n", False), ("a\nwon (6 nodes, 0.10 s)\n", False), ("...\na\n", False), ("", False),
])
def test_the_comparison_masks_times_and_nothing_else(shown: str, same: bool):
    assert matches("a\nwon (5 nodes, 7.25 s)\n", shown) is same


def test_the_readme_has_a_command_and_its_output_by_line_15():
    lines = README.read_text(encoding="utf-8").splitlines()[:15]
    command = next(number for number, line in enumerate(lines) if line.startswith("$ canfield-solve"))
    assert any(line.startswith("winnable in ") for line in lines[command:])


def test_the_readme_has_the_two_commands_for_a_fresh_clone():
    text = README.read_text(encoding="utf-8")
    assert "\npython -m pip install . && canfield-solve --seed 42\n" in text
    assert "\npython -m pip install -e '.[test]' && python -m pytest\n" in text


def test_the_examples_from_python_work():
    failed, tried = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert tried >= 5 and failed == 0


def mapped_files() -> list[str]:
    """The names in the README's map, from its first row to its last, without ``.py``."""
    return re.findall(r"`(\w+)\.py`", README.read_text(encoding="utf-8").partition("## Where things are")[2])


def imported_files(path: Path) -> set[str]:
    """The files of the package that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "solver":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module.startswith("solver."):
            found.add(node.module.removeprefix("solver."))
    return found & {file.stem for file in path.parent.glob("*.py")}


def test_the_map_names_every_file_once():
    assert sorted(mapped_files()) == sorted(path.stem for path in (ROOT / "solver").glob("*.py"))


def test_a_file_imports_only_from_files_above_it_in_the_map():
    above: set[str] = set()
    for name in mapped_files():
        below = imported_files(ROOT / "solver" / f"{name}.py") - above
        assert not below, f"{name}.py imports from {below}"
        above.add(name)
    assert "solving" in imported_files(ROOT / "solver" / "program.py")


def refresh(shown: str, printed: str) -> str:
    """``printed``, cut to the same parts that ``shown`` has: the first and the last stand where they stood, others
    start at the next line with the same first word."""
    lines, parts, start = printed.splitlines(keepends=True), split_parts(shown), 0
    if len(parts) == 1:
        return printed
    fresh = []
    for index, part in enumerate(parts):
        length = part.count("\n")
        if index == len(parts) - 1:
            start = len(lines) - length
        elif index > 0:
            start = next(at for at in range(start, len(lines)) if lines[at].split()[:1] == part.split()[:1])
        fresh.append("".join(lines[start:start + length]))
        start += length
    return f"{ANY_LINES}\n".join(fresh)


def rewrite_outputs(folder: Path) -> None:
    """Put the real output of every command into the README; what is right but for times stays as it is."""
    text = README.read_text(encoding="utf-8")
    commands = readme_commands()
    lines = [command for command, _ in commands]
    run_session(lines, folder)  # so that the times of the second run hold no compilation
    for (command, shown), printed in zip(commands, run_session(lines, folder)):
        if not matches(printed, shown):
            text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{refresh(shown, printed)}")
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        rewrite_outputs(Path(folder))
