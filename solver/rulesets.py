"""Rule sets as data: every parameter of the Canfield family, the named variants, and overrides of any field.

The one rule that both the plain game and the packed engine take from here is :meth:`Rules.carries`: which card may
be built on which. Everything else is plain fields, so that a rule set can be printed, stored and compared.
"""

from dataclasses import asdict, dataclass, fields, replace

from solver.cards import RANK_NAMES, BadInput, colour_of, parse_rank, rank_of, suit_of

CHOICES = {
    "build": ("alternate", "suit", "any"),
    "unit": ("pile", "top-or-pile", "suffix"),
    "fill": ("auto", "free"),
    "space": ("waste", "any"),
}
BOUNDS = {"decks": (1, 4), "ranks": (2, 13), "piles": (1, 12), "reserve": (0, 52), "draw": (1, 208), "passes": (1, 255)}


@dataclass(frozen=True)
class Rules:
    """One rule set. Fields are those of the rule page; construction raises BadInput for values that do not fit.

    decks 1..4, ranks 2..13 (fewer than 13 make small decks), piles 1..12, reserve 0..52 cards;
    base: ``"dealt"`` (one card is dealt to a foundation and its rank starts all of them) or a rank letter (all cards
    of that rank start on the foundations);
    build: piles go down by one rank, continuously, in ``"alternate"`` colours, the same ``"suit"`` or ``"any"``;
    cover_base: may a card of the rank below the base be built on a base-rank card;
    unit: what moves between piles: the whole ``"pile"``, ``"top-or-pile"``, or any ``"suffix"``;
    fill: ``"auto"`` (an emptied pile takes the reserve's top at once) or ``"free"`` (spaces take anything any time);
    space: with auto fill, what a space takes once the reserve is empty: top of the ``"waste"`` only, or ``"any"``;
    draw 1..208 cards a turn; passes 1..255 through the stock, None for unlimited;
    foundation_return: may a foundation's top card go back to the tableau.
    """

    name: str = "canfield"
    decks: int = 1
    ranks: int = 13
    piles: int = 4
    reserve: int = 13
    base: str = "dealt"
    build: str = "alternate"
    cover_base: bool = True
    unit: str = "pile"
    fill: str = "auto"
    space: str = "waste"
    draw: int = 3
    passes: int | None = None
    foundation_return: bool = False

    def __post_init__(self) -> None:
        for field, (low, high) in BOUNDS.items():
            value = getattr(self, field)
            if field == "passes" and value is None:
                continue
            if type(value) is not int or not low <= value <= high:
                unlimited = " or unlimited" if field == "passes" else ""
                raise BadInput(f"{field} must be a whole number from {low} to {high}{unlimited}, not {value!r}")
        for field, choices in CHOICES.items():
            if getattr(self, field) not in choices:
                raise BadInput(f"{field} must be one of {', '.join(choices)}, not {getattr(self, field)!r}")
        for field in ("cover_base", "foundation_return"):
            if type(getattr(self, field)) is not bool:
                raise BadInput(f"{field} must be yes or no, not {getattr(self, field)!r}")
        if self.base != "dealt":
            rank = parse_rank(str(self.base))
            if rank >= self.ranks:
                raise BadInput(f"base {self.base} is not one of the {self.ranks} ranks of this deck")
            # One spelling a rank, so that rule sets compare equal; a frozen dataclass lets nothing else set a field.
            object.__setattr__(self, "base", RANK_NAMES[rank])
        if self.stock < 0:
            raise BadInput(
                f"{self.cards} cards are too few for {self.starters} on the foundations, a reserve of {self.reserve} "
                f"and {self.piles} piles"
            )

    @property
    def cards(self) -> int:
        """Cards in all the decks."""
        return self.decks * 4 * self.ranks

    @property
    def starters(self) -> int:
        """Cards that start on the foundations."""
        return 1 if self.base == "dealt" else 4 * self.decks

    @property
    def stock(self) -> int:
        """Cards left for the stock once foundations, reserve and piles are dealt."""
        return self.cards - self.starters - self.reserve - self.piles

    def carries(self, host: int, card: int, base: int) -> bool:
        """May ``card`` be built on ``host`` in the tableau, when the foundations start at rank ``base``?"""
        if rank_of(host) != (rank_of(card) + 1) % self.ranks:
            return False
        if rank_of(host) == base and not self.cover_base:
            return False
        if self.build == "alternate":
            return colour_of(host) != colour_of(card)
        return self.build == "any" or suit_of(host) == suit_of(card)

    def as_dict(self) -> dict:
        """Every field by name, ready for JSON (unlimited passes are None)."""
        return asdict(self)

    def in_words(self) -> str:
        """The rule set in a sentence or two, for people."""
        decks = "one deck" if self.decks == 1 else f"{self.decks} decks"
        if self.ranks != 13:
            decks += f" of {self.ranks} ranks"
        base = "base card dealt" if self.base == "dealt" else f"all {self.base}s on the foundations"
        build = {"alternate": "in alternate colours", "suit": "in suit", "any": "in any suit"}[self.build]
        unit = {"pile": "whole piles move", "top-or-pile": "the last card or the whole pile moves",
                "suffix": "any part of a pile moves"}[self.unit]
        filled_later = "only from the waste" if self.space == "waste" else "from anywhere"
        fill = ("spaces are filled at will" if self.fill == "free"
                else f"spaces fill from the reserve, then {filled_later}")
        passes = {None: "no limit on passes", 1: "one pass"}.get(self.passes, f"{self.passes} passes")
        cover = "base cards may be covered" if self.cover_base else "base cards are never covered"
        returned = "cards may come back from the foundations" if self.foundation_return else "nothing comes back up"
        returned = returned.replace("nothing comes back up", "foundations are final")
        return (f"{decks}, {self.piles} piles, reserve {self.reserve}, {base}; build down {build}, {cover}, {unit}; "
                f"{fill}; draw {self.draw}, {passes}; {returned}")


def _variants() -> dict[str, Rules]:
    rule_book = Rules("rule-book", unit="suffix", space="any")
    pysolfc = Rules("pysolfc", unit="top-or-pile", space="any")
    one_card = dict(unit="top-or-pile", space="any", draw=1)
    table = [
        Rules("canfield"),
        Rules("canfield-draw1", draw=1, passes=3),
        replace(rule_book, name="second-life"),
        rule_book,
        replace(rule_book, name="zubboo", foundation_return=True),
        replace(rule_book, name="superior", fill="free"),
        replace(rule_book, name="solvitaire", cover_base=False),
        Rules("solvitaire-strict", cover_base=False),
        pysolfc,
        replace(pysolfc, name="pysolfc-superior", fill="free"),
        Rules("rainbow", build="any", passes=1, **one_card),
        Rules("rainfall", passes=3, **one_card),
        Rules("storehouse", base="2", build="suit", passes=3, **one_card),
        Rules("chameleon", piles=3, reserve=12, build="any", passes=1, **one_card),
        Rules("casino", passes=1, **one_card),
        *_several_decks(rule_book, pysolfc),
    ]
    return {variant.name: variant for variant in table}


def _several_decks(rule_book: Rules, pysolfc: Rules) -> list[Rules]:
    demon = dict(decks=2, piles=8, reserve=40)
    double = dict(decks=2, piles=5, reserve=13)
    triple = dict(decks=3, piles=7, reserve=26)
    return [
        replace(rule_book, name="demon", **demon),
        replace(rule_book, name="double", **double),
        replace(rule_book, name="triple", **triple),
        # PySolFC moves parts of piles in Demon, unlike in the others.
        replace(rule_book, name="pysolfc-demon", **demon),
        replace(pysolfc, name="pysolfc-double", **double),
        replace(pysolfc, name="pysolfc-triple", **triple),
        replace(pysolfc, name="quadruple", decks=4, piles=8, reserve=39),
        replace(pysolfc, name="american-toad", decks=2, piles=8, reserve=20, build="suit", draw=1, passes=2),
        # Starting from aces, "no king on an ace" is what an uncovered base says.
        replace(pysolfc, name="variegated", base="A", cover_base=False, passes=3, **double),
    ]


VARIANTS: dict[str, Rules] = _variants()
FIELDS: tuple[str, ...] = tuple(field.name for field in fields(Rules) if field.name != "name")


def rules(variant: str = "canfield", **overrides: object) -> Rules:
    """The named variant (see VARIANTS) with any fields replaced. Raises BadInput for unknown names or values.

    The result keeps the variant's name; ``as_dict`` always tells the full rule set.
    """
    if variant not in VARIANTS:
        raise BadInput(f"unknown variant {variant!r}: one of {', '.join(VARIANTS)}")
    for field in overrides:
        if field not in FIELDS:
            raise BadInput(f"unknown rule field {field!r}: one of {', '.join(FIELDS)}")
    return replace(VARIANTS[variant], **overrides)


def rank_letter(rank: int) -> str:
    """The letter of rank 0..12, as the field ``base`` and the position form write it."""
    return RANK_NAMES[rank]
