"""The program around the commands: help in sections, every error as one line, exit statuses, files, the engine."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import click

from solver.cards import BadInput

PROGRAM = "canfield-solve"
WON, LOST, BAD_INPUT, OPEN, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141
"""Exit statuses; the last two are those of a program that SIGINT or SIGPIPE ended."""

COMPILING = "compiling the search kernels, once per installation (half a minute, for hard deals up to two) ..."

STATUSES = {"winnable": WON, "unwinnable": LOST, "undecided": OPEN, "won": WON, "not won": LOST, "no solution": OPEN}
"""What can be found for a deal or for a given solution, and the exit status that it asks for."""


class SectionedCommand(click.Command):
    """A command whose help lists its options under their headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(option, "section", "Other"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class Program(SectionedCommand, click.Group):
    """The program: commands return their exit status, and whatever goes wrong becomes one line and a status."""

    command_class = SectionedCommand

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)

    def main(self, args: list[str] | None = None, prog_name: str = PROGRAM, **settings: object) -> None:
        """Run the program on ``args`` (those of the process by default) and leave with its exit status."""
        _mend_streams()
        settings["standalone_mode"] = False
        try:
            status = super().main(args, prog_name, **settings)
        except click.ClickException as error:
            status = complain(error.format_message())
        except BadInput as error:
            status = complain(str(error))
        except MemoryError:
            status = complain("not enough memory; a smaller --memory may help")
        except (click.Abort, KeyboardInterrupt):
            status = INTERRUPTED
        sys.exit(status)

    def invoke(self, ctx: click.Context) -> int:
        """The command's exit status; Ctrl-C and a reader that closes the pipe end it without a word."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            return INTERRUPTED
        except OSError as error:
            # Python flushes once more at the end: what is left must have somewhere to go.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE if isinstance(error, BrokenPipeError) else complain(f"cannot write: {error.strerror}")
        return status


def _mend_streams() -> None:
    """Let every character be printed, with ``?`` for those that the encoding lacks; closed streams lead nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def complain(message: str) -> int:
    """Print ``message`` as one line on standard error; returns the exit status of bad input."""
    click.echo(f"{PROGRAM}: {' '.join(message.split())}", err=True)
    return BAD_INPUT


@contextmanager
def blaming(file: str) -> Iterator[None]:
    """Put the name of a file (``-`` is standard input) in front of the message of bad input."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{'standard input' if file == '-' else file}: {error}") from None


def read_file(file: str) -> str:
    """The text of a file, or of standard input for ``-``. Raises BadInput for what cannot be read as UTF-8."""
    with blaming(file):
        try:
            content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
            return content.decode("utf-8-sig")
        except OSError as error:
            raise BadInput(error.strerror) from None
        except UnicodeDecodeError as error:
            raise BadInput(f"not UTF-8 text (byte {error.start + 1})") from None


def load_solve() -> Callable:
    """``solving.solve``, imported when something is to be solved; from then on a compilation is announced."""
    with _hidden("scipy.linalg.cython_blas"), suppress(ImportError):
        # Numba's module of array functions looks for this one at its import, for matrix products, which no kernel
        # has: 0.35 s where scipy is installed. It goes on without; products look again when they are compiled.
        import_module("numba.np.arraymath")
    from solver.solving import solve

    _announce_compilation()
    return solve


@contextmanager
def _hidden(module: str) -> Iterator[None]:
    """Let imports of a module fail for a while, unless it is imported already."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # the documented way to say so
    try:
        yield
    finally:
        del sys.modules[module]


@cache
def _announce_compilation() -> None:
    """Say so, once, when numba compiles a kernel: that takes long, and numba is silent."""
    from numba.core.event import Event, Listener, register

    class Announcer(Listener):
        said = False

        def on_start(self, event: Event) -> None:
            if not self.said:
                self.said = True
                click.echo(COMPILING, err=True)

        def on_end(self, event: Event) -> None:
            pass

    # The event comes after a look into the cache that found nothing.
    register("numba:compile", Announcer())
