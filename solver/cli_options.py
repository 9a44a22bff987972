"""The options that the commands share: deals, rule sets with every field, budgets, kinds of output."""

from collections.abc import Callable

import click

from solver.cards import parse_rank
from solver.rulesets import BOUNDS, CHOICES, FIELDS, VARIANTS, Rules, rank_letter, rules
from solver.shuffle import SEEDS

LARGEST = (1 << 62) - 1
"""Budgets end here, so that they fit into the engine's 64-bit counters."""


class Section(click.Option):
    """An option with the heading that it stands under in the help."""

    def __init__(self, *names: str, section: str, **settings: object) -> None:
        super().__init__(*names, **settings)
        self.section = section


def add_options(*options: Callable) -> Callable:
    """One decorator of several, in the order in which the help lists them."""

    def decorate(command: Callable) -> Callable:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def make_option(section: str, *names: str, **settings: object) -> Callable:
    """``click.option`` under a heading of the help."""
    return click.option(*names, cls=Section, section=section, **settings)


class _WholeNumber(click.ParamType):
    """A whole number from ``low`` to ``high``, either of which may be open, or one ``word``, which is kept as it is."""

    name = "whole number"

    def __init__(self, low: int | None = None, high: int | None = None, word: str = "") -> None:
        self.low, self.high, self.word = low, high, word

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if self.word and value == self.word:
            return value
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r:.40} is not a whole number" + (f" or {self.word}" if self.word else ""), param, ctx)
        if self.low is not None and number < self.low or self.high is not None and number > self.high:
            self.fail(f"{value!r:.40} is not from {self.low} to {self.high}", param, ctx)
        return number


deal_options = add_options(
    make_option("Deals", "--seed", type=_WholeNumber(0, SEEDS - 1), metavar="N", help="Deal number N, 0 to 2^64 - 1."),
    make_option("Deals", "--deal", "source", metavar="DEAL",
                help="A file, - for standard input, the cards themselves in dealing order, or a numbered deal of "
                     "another program: pysolfc:N, pysolfc:msN, solvitaire:N."),
)

_FIELD_HELP = {
    "decks": "Decks.",
    "ranks": "Ranks in a suit; fewer than 13 make a small deck.",
    "piles": "Tableau piles.",
    "reserve": "Cards in the reserve.",
    "base": "Where foundations start: a dealt card, or this rank.",
    "build": "Suits of neighbours in the tableau.",
    "cover_base": "May base-rank cards be built on?",
    "unit": "What moves from pile to pile.",
    "fill": "Do spaces fill from the reserve by themselves?",
    "space": "What fills spaces after the reserve is gone.",
    "draw": "Cards turned from the stock at a time.",
    "passes": "Times through the stock.",
    "foundation_return": "May cards come back from foundations?",
}
_YES_OR_NO = ("cover_base", "foundation_return")


def _field_option(field: str) -> Callable:
    """The option of one rule field; values are checked where the rule set is made."""
    if field == "passes":
        kind, metavar = _WholeNumber(word="unlimited"), "N|unlimited"
    elif field == "base":
        kind, metavar = click.STRING, "dealt|RANK"
    elif field in BOUNDS:
        kind, metavar = _WholeNumber(), "N"
    else:
        choices = ("yes", "no") if field in _YES_OR_NO else CHOICES[field]
        kind, metavar = click.Choice(choices), "|".join(choices)
    name = f"--{field.replace('_', '-')}"
    return make_option("Rules", name, field, type=kind, metavar=metavar, help=_FIELD_HELP[field])


rule_options = add_options(
    make_option("Rules", "--variant", metavar="NAME",
                help="Rule set to start from; `variants` lists them.  [default: canfield]"),
    *(_field_option(field) for field in FIELDS),
)

budget_options = add_options(
    make_option("Search", "--nodes", type=_WholeNumber(1, LARGEST), metavar="N",
                help="Positions to search at most, else undecided.  [default: 3,000,000]"),
    make_option("Search", "--memory", type=_WholeNumber(1, LARGEST >> 20), metavar="MB",
                help="Memory to search with at most.  [default: 512]"),
)


def json_option(what: str) -> Callable:
    """The ``--json`` option of a command that then prints ``what``."""
    return make_option("Output", "--json", "as_json", is_flag=True, help=f"Print {what}.")


def rules_given(options: dict[str, object]) -> Rules | None:
    """The rule set that the options of :data:`rule_options` ask for; None where none of them was given.

    Raises BadInput for values that do not fit.
    """
    changes = {field: _field_value(field, options[field]) for field in FIELDS if options[field] is not None}
    if options["variant"] is None and not changes:
        return None
    return rules(options["variant"] or next(iter(VARIANTS)), **changes)


def _field_value(field: str, value: object) -> object:
    if field == "passes" and value == "unlimited":
        return None
    if field in _YES_OR_NO:
        return value == "yes"
    return rank_letter(parse_rank(value)) if field == "base" and value != "dealt" else value


def budget(nodes: int | None, memory: int | None) -> dict[str, int]:
    """Keyword arguments of ``solve`` for the budget options that were given."""
    return {name: value for name, value in (("nodes", nodes), ("memory", memory)) if value is not None}
