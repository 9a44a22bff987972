"""Rule sets: the table of variants, the checks of every field, and which card may be built on which."""

import pytest

from solver.cards import BadInput, parse_card
from solver.rulesets import BOUNDS, CHOICES, FIELDS, VARIANTS, Rules, rules

# The table of the rule page: piles, reserve, stock, base, build, cover_base, unit, fill, space, draw, passes, return.
RULE_PAGE = {
    "canfield": (4, 13, 34, "dealt", "alternate", True, "pile", "auto", "waste", 3, None, False),
    "canfield-draw1": (4, 13, 34, "dealt", "alternate", True, "pile", "auto", "waste", 1, 3, False),
    "second-life": (4, 13, 34, "dealt", "alternate", True, "suffix", "auto", "any", 3, None, False),
    "zubboo": (4, 13, 34, "dealt", "alternate", True, "suffix", "auto", "any", 3, None, True),
    "superior": (4, 13, 34, "dealt", "alternate", True, "suffix", "free", "any", 3, None, False),
    "rule-book": (4, 13, 34, "dealt", "alternate", True, "suffix", "auto", "any", 3, None, False),
    "solvitaire": (4, 13, 34, "dealt", "alternate", False, "suffix", "auto", "any", 3, None, False),
    "solvitaire-strict": (4, 13, 34, "dealt", "alternate", False, "pile", "auto", "waste", 3, None, False),
    "pysolfc": (4, 13, 34, "dealt", "alternate", True, "top-or-pile", "auto", "any", 3, None, False),
    "pysolfc-superior": (4, 13, 34, "dealt", "alternate", True, "top-or-pile", "free", "any", 3, None, False),
    "rainbow": (4, 13, 34, "dealt", "any", True, "top-or-pile", "auto", "any", 1, 1, False),
    "rainfall": (4, 13, 34, "dealt", "alternate", True, "top-or-pile", "auto", "any", 1, 3, False),
    "storehouse": (4, 13, 31, "2", "suit", True, "top-or-pile", "auto", "any", 1, 3, False),
    "chameleon": (3, 12, 36, "dealt", "any", True, "top-or-pile", "auto", "any", 1, 1, False),
    "casino": (4, 13, 34, "dealt", "alternate", True, "top-or-pile", "auto", "any", 1, 1, False),
}


@pytest.mark.parametrize("name", RULE_PAGE)
def test_variants_are_those_of_the_rule_page(name: str) -> None:
    variant = rules(name)
    assert variant.name == name
    assert (variant.decks, variant.ranks) == (1, 13)
    assert RULE_PAGE[name] == (
        variant.piles, variant.reserve, variant.stock, variant.base, variant.build, variant.cover_base, variant.unit,
        variant.fill, variant.space, variant.draw, variant.passes, variant.foundation_return)


def test_the_default_is_canfield() -> None:
    assert rules() == rules("canfield") == Rules()


def test_any_field_can_be_overridden() -> None:
    other = {"decks": 2, "ranks": 12, "piles": 7, "reserve": 20, "base": "3", "build": "suit", "cover_base": False,
             "unit": "suffix", "fill": "free", "space": "any", "draw": 1, "passes": 2, "foundation_return": True}
    assert set(other) == set(FIELDS)
    for field, value in other.items():
        variant = rules("canfield", **{field: value})
        assert variant != rules("canfield")
        assert variant.as_dict() == rules("canfield").as_dict() | {field: value}
    assert rules("canfield", **other).as_dict() == other | {"name": "canfield"}


@pytest.mark.parametrize("piles, stock", [(4, 34), (7, 31), (12, 26)])
def test_stock_is_what_the_deal_leaves(piles: int, stock: int) -> None:
    assert rules("second-life", piles=piles).stock == stock


def test_cards_add_up_for_several_decks() -> None:
    assert rules(decks=2, piles=8, reserve=40).stock == 55
    assert rules(decks=3, piles=7, reserve=26).stock == 122
    assert rules(decks=4, piles=8, reserve=39).stock == 160
    assert rules(decks=2, piles=5, base="A").stock == 78


@pytest.mark.parametrize("field", BOUNDS)
def test_numbers_out_of_bounds_are_named(field: str) -> None:
    low, high = BOUNDS[field]
    for value in (low - 1, high + 1, "3", 2.0, True):
        expected = f"^{field} must be a whole number from {low} to {high}( or unlimited)?, not "
        with pytest.raises(BadInput, match=expected):
            rules(**{field: value})


@pytest.mark.parametrize("field", CHOICES)
def test_unknown_choices_are_named(field: str) -> None:
    with pytest.raises(BadInput, match=f"^{field} must be one of {', '.join(CHOICES[field])}, not 'some'$"):
        rules(**{field: "some"})


@pytest.mark.parametrize("written, letter", [("a", "A"), ("10", "T"), (10, "T"), (" q ", "Q"), ("2", "2")])
def test_a_base_rank_has_one_spelling(written: object, letter: str) -> None:
    assert rules(base=written) == rules(base=letter)
    assert rules(base=written).base == letter


@pytest.mark.parametrize("field", ["cover_base", "foundation_return"])
def test_yes_and_no_are_booleans(field: str) -> None:
    with pytest.raises(BadInput, match=f"^{field} must be yes or no, not 'yes'$"):
        rules(**{field: "yes"})


@pytest.mark.parametrize("overrides, message", [
    ({"base": "X"}, "unknown rank 'X'"),
    ({"base": "K", "ranks": 5}, "base K is not one of the 5 ranks of this deck"),
    ({"reserve": 48}, "52 cards are too few for 1 on the foundations, a reserve of 48 and 4 piles"),
    ({"reserve": 45, "base": "2"}, "52 cards are too few for 4 on the foundations, a reserve of 45 and 4 piles"),
    ({"pile": 5}, "unknown rule field 'pile': one of decks, ranks, piles, "),
    ({"name": "mine"}, "unknown rule field 'name'"),
])
def test_bad_rules_are_one_line(overrides: dict, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        rules(**overrides)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_unknown_variants_are_named() -> None:
    with pytest.raises(BadInput, match="^unknown variant 'klondike': one of canfield, "):
        rules("klondike")


# Host, card, base, and whether the card may go there: alternating with and without covered bases, in suit, any suit.
BUILDS = [
    ("9C", "8H", "A", True, True, False, True),
    ("9C", "8D", "A", True, True, False, True),
    ("9C", "8S", "A", False, False, False, True),
    ("9C", "8C", "A", False, False, True, True),
    ("9C", "7H", "A", False, False, False, False),
    ("9C", "TH", "A", False, False, False, False),
    ("AC", "KH", "5", True, True, False, True),
    ("AC", "KC", "5", False, False, True, True),
    ("KC", "AH", "5", False, False, False, False),
    ("5S", "4D", "5", True, False, False, True),
    ("AH", "KS", "A", True, False, False, True),
]


@pytest.mark.parametrize("host, card, base, alternate, uncovered, suit, any_suit", BUILDS)
def test_what_may_be_built_on_what(host: str, card: str, base: str, alternate: bool, uncovered: bool, suit: bool,
                                   any_suit: bool) -> None:
    where = (parse_card(host), parse_card(card), parse_card(base + "C") >> 2)
    assert rules().carries(*where) is alternate
    assert rules(cover_base=False).carries(*where) is uncovered
    assert rules(build="suit").carries(*where) is suit
    assert rules(build="any").carries(*where) is any_suit


def test_small_decks_wrap_at_their_own_highest_rank() -> None:
    small = rules(ranks=5, reserve=3)
    assert small.carries(parse_card("AC"), parse_card("5H"), 2)
    assert not small.carries(parse_card("AC"), parse_card("KH"), 2)


def test_every_rule_set_has_its_own_words() -> None:
    """Variants that differ in a field differ in words, so that a printed rule set says which one it is."""
    words: dict[str, dict] = {}
    for name, variant in VARIANTS.items():
        fields = variant.as_dict() | {"name": ""}
        assert words.setdefault(variant.in_words(), fields) == fields, name


@pytest.mark.parametrize("overrides, words", [
    ({}, "one deck, 4 piles, reserve 13, base card dealt; build down in alternate colours, base cards may be covered, "
         "whole piles move; spaces fill from the reserve, then only from the waste; draw 3, no limit on passes; "
         "foundations are final"),
    ({"decks": 2, "ranks": 5, "reserve": 3, "base": "2", "passes": 1, "draw": 1, "cover_base": False},
     "2 decks of 5 ranks, 4 piles, reserve 3, all 2s on the foundations; build down in alternate colours, base cards "
     "are never covered, whole piles move; spaces fill from the reserve, then only from the waste; draw 1, one pass; "
     "foundations are final"),
    ({"unit": "suffix", "fill": "free", "passes": 3, "foundation_return": True, "build": "suit"},
     "one deck, 4 piles, reserve 13, base card dealt; build down in suit, base cards may be covered, any part of a "
     "pile moves; spaces are filled at will; draw 3, 3 passes; cards may come back from the foundations"),
])
def test_rule_sets_in_words(overrides: dict, words: str) -> None:
    assert rules(**overrides).in_words() == words
