"""Where the program starts: ``canfield-solve`` and ``python -m solver`` are the same."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C is answered quietly even while it is still being imported."""
    try:
        from solver.cli import main as program
    except KeyboardInterrupt:
        sys.exit(130)
    program()


if __name__ == "__main__":
    main()
