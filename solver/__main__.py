"""Where the program starts: ``canfield-solve`` and ``python -m solver`` are the same."""

import gc
import sys

COLLECT_AFTER = 50_000
"""New objects between two looks for garbage. The engine's imports make some hundred thousand, which stay: looking after
every 700 or so, as Python does, takes a tenth of the time to start."""


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
        gc.freeze()  # or Python looks all of them through at its end: 0.3 s, for memory that goes back anyway


if __name__ == "__main__":
    main()
