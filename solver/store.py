"""Stored results: one folder a rule set and budget, one Parquet file a chunk of deals, one manifest of what they are.

::

    DIR/odds.json                         says that DIR is ours
    DIR/canfield/manifest.json            rule set, generator, budget, and who made it where
    DIR/canfield/seeds-000000000000-000000000499.parquet
    DIR/canfield/second-3000000/...       the same again for the sample of the undecided, with a larger budget

Any reader of Parquet makes a table of the files: seed (uint64), base (rank 0..12), verdict, nodes, solution_length
(null without a solution), microseconds. Files appear whole or not at all: they are written under another name,
flushed to the disk and renamed, so a run may be killed at any moment.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from solver.cards import BadInput
from solver.extras import load
from solver.outcomes import NO_SOLUTION, VERDICTS, Outcomes, join
from solver.rulesets import FIELDS, Rules

try:
    import fcntl
except ImportError:
    fcntl = None  # Windows: two runs in one folder at once are not noticed there

FORMAT = "canfield-solve odds 1"
MARK, MANIFEST = "odds.json", "manifest.json"
FITTING = ("format", "phase", "generator", "nodes", "memory", "signature")
"""Fields of a manifest, besides the rules, that must be the same for results to go into one folder."""


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Have ``write`` fill a file that appears under its name whole or not at all. Raises BadInput where it cannot."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        try:
            with open(partial, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
        except BaseException:
            with suppress(OSError):
                partial.unlink()
            raise
        _flush_names(path.parent)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None


def _flush_names(folder: Path) -> None:
    """Put a folder's list of names on the disk; systems that cannot open folders do so by themselves."""
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_json(path: Path, content: object) -> None:
    """Write a JSON file, whole or not at all. Raises BadInput."""
    write_whole(path, lambda file: file.write((json.dumps(content, indent=1) + "\n").encode()))


def mark_results(folder: Path) -> None:
    """Make ``folder`` a folder of results, or see that it is one. Raises BadInput for a folder of something else."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(name for name in folder.iterdir() if not name.name.endswith(".partial"))
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from None
    if is_empty:
        write_json(folder / MARK, {"format": FORMAT})
    _check_mark(folder)


def find_stores(folder: Path) -> list["Store"]:
    """The first-phase stores in a folder of results, or the one store that ``folder`` is. Raises BadInput."""
    if not folder.is_dir():
        raise BadInput(f"{folder}: no such folder")
    if (folder / MANIFEST).exists():
        store = Store.open(folder)
        if store.manifest.get("phase") != 1:
            raise BadInput(f"{folder}: a sample of undecided deals; give the folder it lies in")
        return [store]
    _check_mark(folder)
    stores = [Store.open(path.parent) for path in sorted(folder.glob(f"*/{MANIFEST}"))]
    if not stores:
        raise BadInput(f"{folder}: no results in it yet")
    return stores


def _check_mark(folder: Path) -> None:
    content = _read_json(folder / MARK, f"{folder}: not a folder of odds results (no {MARK} in it)")
    if content.get("format") != FORMAT:
        raise BadInput(f"{folder}: its format is {content.get('format')!r:.60}, this program's is {FORMAT!r}")


def _read_json(path: Path, if_missing: str) -> dict:
    """The JSON object in a file. Raises BadInput."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(if_missing) from None
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: damaged, {error}") from None
    if not isinstance(content, dict):
        raise BadInput(f"{path}: damaged, not a JSON object")
    return content


class Store:
    """The results of one rule set with one budget. folder: where they are; manifest: what they are; rules: theirs."""

    def __init__(self, folder: Path, manifest: dict) -> None:
        self.folder, self.manifest = folder, manifest
        self.rules = _rules_of(folder, manifest)

    @classmethod
    def open(cls, folder: Path) -> "Store":
        """The store in a folder that has one. Raises BadInput."""
        manifest = _read_json(folder / MANIFEST, f"{folder}: not a folder of odds results (no {MANIFEST} in it)")
        if manifest.get("format") != FORMAT:
            raise BadInput(f"{folder}: its format is {manifest.get('format')!r:.60}, this program's is {FORMAT!r}")
        return cls(folder, manifest)

    @classmethod
    def prepare(cls, folder: Path, wanted: dict, run: dict) -> "Store":
        """The store for results that ``wanted`` describes (rules and FITTING): a new one, or one that fits.

        run: who writes now, as ``provenance`` tells it; the manifest lists every such run that differs from the one
        before. Raises BadInput for a folder that holds anything else.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            holds = [path.name for path in folder.iterdir() if not path.name.endswith(".partial")]
        except OSError as error:
            raise BadInput(f"{folder}: {error.strerror}") from None
        store = cls.open(folder) if holds else cls(folder, {**wanted, "runs": []})
        if holds:
            store._check_fit(wanted)
        if store.manifest["runs"][-1:] != [run]:
            store.manifest["runs"].append(run)
            write_json(folder / MANIFEST, store.manifest)
        return store

    def _check_fit(self, wanted: dict) -> None:
        """Raise BadInput unless results that ``wanted`` describes may go in with those that are here."""
        rules = Rules(**wanted["rules"])
        for field, value in wanted["rules"].items():
            if getattr(self.rules, field) != value:
                raise BadInput(f"{self.folder}: holds results for {field} {getattr(self.rules, field)!r}, not {value!r}"
                               f" ({rules.name}); choose another folder")
        for field in FITTING:
            if self.manifest.get(field) != wanted[field]:
                raise BadInput(f"{self.folder}: holds results for {field} {self.manifest.get(field)!r:.60}, "
                               f"not {wanted[field]!r}; choose another folder")
        if not isinstance(self.manifest.get("runs"), list):
            raise BadInput(f"{self.folder / MANIFEST}: damaged, 'runs' is not a list")

    @contextmanager
    def reserved(self) -> Iterator[None]:
        """Keep other runs out of the folder, and clear away what a killed one left. Raises BadInput if it is taken."""
        handle = os.open(self.folder, os.O_RDONLY) if fcntl else None
        try:
            if fcntl:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise BadInput(f"{self.folder}: another run is writing there") from None
            for partial in self.folder.glob(".*.partial"):
                with suppress(OSError):
                    partial.unlink()
            yield
        finally:
            if handle is not None:
                os.close(handle)

    def write(self, outcomes: Outcomes) -> None:
        """Store a chunk. Raises BadInput where the disk does not take it; then nothing of it is there."""
        parquet, table = load("pyarrow.parquet"), _to_table(outcomes)
        buffer = load("pyarrow").BufferOutputStream()
        parquet.write_table(table, buffer, compression="zstd", write_page_checksum=True)
        content = buffer.getvalue()
        write_whole(self.folder / _chunk_name(outcomes), lambda file: file.write(content))

    def read(self) -> Outcomes:
        """All that is stored, by seed in rising order. Raises BadInput that names a damaged file."""
        outcomes = join([_read_chunk(path) for path in sorted(self.folder.glob("*.parquet"))])
        twice = np.flatnonzero(outcomes.seed[1:] == outcomes.seed[:-1])
        if len(twice):
            raise BadInput(f"{self.folder}: deal {outcomes.seed[twice[0]]} is stored twice")
        return outcomes


def _rules_of(folder: Path, manifest: dict) -> Rules:
    """The rule set of a manifest, every field of it. Raises BadInput."""
    content = manifest.get("rules")
    if not isinstance(content, dict) or set(content) != {"name", *FIELDS}:
        raise BadInput(f"{folder / MANIFEST}: damaged, 'rules' must have every field of a rule set")
    try:
        return Rules(**content)
    except BadInput as error:
        raise BadInput(f"{folder / MANIFEST}: {error}") from None


def _chunk_name(outcomes: Outcomes) -> str:
    return f"seeds-{outcomes.seed[0]:012d}-{outcomes.seed[-1]:012d}.parquet"


def _to_table(outcomes: Outcomes) -> object:
    """The pyarrow table of outcomes."""
    arrow = load("pyarrow")
    lengths = outcomes.solution_length
    return arrow.table({
        "seed": outcomes.seed,
        "base": outcomes.base,
        "verdict": arrow.DictionaryArray.from_arrays(outcomes.verdict, list(VERDICTS)),
        "nodes": outcomes.nodes,
        "solution_length": arrow.array(lengths, mask=lengths == NO_SOLUTION),
        "microseconds": outcomes.microseconds,
    })


def _read_chunk(path: Path) -> Outcomes:
    """The rows of one file, checked. Raises BadInput that names the file."""
    arrow, parquet = load("pyarrow"), load("pyarrow.parquet")
    try:
        table = parquet.ParquetFile(path, page_checksum_verification=True).read()
        outcomes = _from_table(table)
        if len(outcomes) == 0 or np.any(outcomes.seed[1:] <= outcomes.seed[:-1]):
            raise ValueError("seeds do not rise")
        if path.name != _chunk_name(outcomes):
            raise ValueError("its seeds are not those of its name")
    except (OSError, ValueError, KeyError, TypeError, arrow.ArrowException) as error:
        what = " ".join(str(error).split()) or type(error).__name__
        raise BadInput(f"{path}: damaged ({what:.80}); remove it, and the next run solves its deals again") from None
    return outcomes


def _from_table(table: object) -> Outcomes:
    """Outcomes of a pyarrow table; raises ValueError, KeyError or pyarrow's errors for one that is not of ours."""
    arrow, compute = load("pyarrow"), load("pyarrow.compute")
    columns = {name: table.column(name).combine_chunks() for name in
               ("seed", "base", "verdict", "nodes", "solution_length", "microseconds")}
    columns["verdict"] = compute.index_in(columns["verdict"].cast(arrow.string()), arrow.array(VERDICTS))
    columns["solution_length"] = columns["solution_length"].fill_null(NO_SOLUTION)
    for name, column in columns.items():
        if column.null_count:
            raise ValueError(f"unknown {name}")
    return Outcomes(
        columns["seed"].to_numpy().astype(np.uint64, casting="safe"),
        columns["base"].to_numpy().astype(np.int8, casting="safe"),
        columns["verdict"].to_numpy().astype(np.int8),
        columns["nodes"].to_numpy().astype(np.int64, casting="safe"),
        columns["solution_length"].to_numpy().astype(np.int32, casting="safe"),
        columns["microseconds"].to_numpy().astype(np.int64, casting="safe"),
    )
