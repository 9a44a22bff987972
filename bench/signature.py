"""The bench signature: nodes of fixed searches, added up. It changes exactly when the search changes.

Deals 1 to 20 of every named variant, each within a small budget, all prunings on. A change that is meant to make the
program faster but not to search otherwise must leave the signature as it is; one that changes it says so in its commit,
with ``python -m bench signature --write``. The counts of each variant are kept as well, to show what has changed.
"""

import json
from pathlib import Path

from solver.rulesets import VARIANTS
from solver.solving import solve
from solver.sources import deal

PINNED = Path(__file__).with_name("signature.json")
SEEDS = range(1, 21)
NODES = 5000


def count_nodes(variant: str) -> int:
    """Nodes of all the searches under one variant."""
    rules = VARIANTS[variant]
    return sum(solve(deal(seed, rules), rules, nodes=NODES, want_solution=False).nodes for seed in SEEDS)


def signature() -> dict:
    """``{"nodes": sum of all, "variants": {name: nodes}}``."""
    variants = {name: count_nodes(name) for name in VARIANTS}
    return {"nodes": sum(variants.values()), "variants": variants}


def pinned() -> dict | None:
    """The signature on record, None where there is none yet."""
    return json.loads(PINNED.read_text(encoding="utf-8")) if PINNED.exists() else None


def pin(found: dict) -> None:
    """Put a signature on record."""
    PINNED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def changes(found: dict, before: dict | None) -> list[str]:
    """One line for every variant whose nodes differ from those on record."""
    old = before["variants"] if before else {}
    return [f"{name}: {nodes:,} nodes, {f'{old[name]:,}' if name in old else 'not'} on record"
            for name, nodes in found["variants"].items() if old.get(name) != nodes]
