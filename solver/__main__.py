"""Where the program starts: ``canfield-solve`` and ``python -m solver`` are the same."""

import gc
import sys

COLLECT_AFTER = 50_000
"""New objects between two looks for garbage. Importing the engine makes a million objects that stay, and at Python's
own 700 or so the looking takes a tenth of the time to start."""


def main() -> None:
    """Run the command line; Ctrl-C is answered quietly even while it is still being imported."""
    gc.set_threshold(COLLECT_AFTER)
    try:
        from solver.cli import main as program
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        program()
    finally:
        gc.freeze()  # nothing is looked through once more at the end, which takes as long as a whole easy deal


if __name__ == "__main__":
    main()
