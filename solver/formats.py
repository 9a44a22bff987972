"""Deals and positions as text: the line form, the position form (JSON), and the JSON of Solvitaire.

*Line form*: all cards in dealing order (see ``dealing``) separated by blanks, an optional ``name:`` in front; from a
``#`` on it is a comment. *Position form*: an object ::

    {"foundations": ["AC", "", "", "JD"], "tableau": [["KH"], ["JH", "TS"]], "reserve": ["4C"], "waste": [],
     "stock": ["9S", "2D"], "base": "J", "pass": 1}

with the top card of each foundation, every pile from its bottom up, and the next card of the stock last. Foundations
may stand in any order, and empty ones and empty piles of cards may be left out. *Solvitaire's JSON* says ``tableau
piles`` for the tableau, gives foundations and reserve as lists of cards or lists of such lists, and counts ranks 1 to
13 where it does not use letters.

Whatever is read is checked whole. Raised is BadInput, with one line that names the card or pile that is wrong.
"""

from collections.abc import Iterable
from dataclasses import replace

from solver.cards import SUIT_NAMES, BadInput, card_name, make_card, parse_card, parse_rank, rank_of, suit_of
from solver.dealing import dealing_order, lay_out
from solver.position import Position, faults
from solver.rulesets import Rules, rank_letter

POSITION_FIELDS = ("foundations", "tableau", "reserve", "waste", "stock", "base", "pass")
SOLVITAIRE_FIELDS = ("foundations", "tableau piles", "reserve", "waste", "stock")


def split_line(line: str) -> tuple[str, str]:
    """Name (empty where there is none) and the rest of a line, its comment taken off, both stripped."""
    content = line.partition("#")[0]
    name, colon, rest = content.partition(":")
    return (name.strip(), rest.strip()) if colon else ("", content.strip())


def read_line(line: str, rules: Rules) -> Position:
    """The deal of a line in line form; its name and comment are passed over. Raises BadInput."""
    return lay_out([parse_card(word) for word in split_line(line)[1].split()], rules)


def write_line(position: Position, rules: Rules, name: str = "") -> str:
    """``position`` in line form, with ``name:`` in front if there is one. Raises BadInput for a game in progress."""
    cards = " ".join(map(card_name, dealing_order(position, rules)))
    return f"{name}: {cards}" if name else cards


def read_document(document: object, rules: Rules) -> Position:
    """The position of a JSON value in position form or in Solvitaire's form. Raises BadInput.

    A space beside a reserve that still holds cards is filled at once where the rule set fills spaces by itself: the
    leftmost space first, each with the reserve's top card, as the move that made the space would have done.
    The base rank may be left out where the rule set fixes it or only one rank makes the foundations come out even.
    """
    if not isinstance(document, dict):
        raise BadInput("a position in JSON is an object with the fields " + ", ".join(POSITION_FIELDS))
    if "tableau piles" in document:
        document = _from_solvitaire(document, rules)
    return _read_position(document, rules)


def write_document(position: Position, rules: Rules) -> dict:
    """``position`` in position form, ready for JSON; foundations in the order C D S H, the higher of a suit first."""
    return {
        "foundations": [card_name(cards[-1]) if cards else "" for cards in position.foundation_cards(rules)],
        "tableau": [_names(pile) for pile in position.tableau],
        "reserve": _names(position.reserve),
        "waste": _names(position.waste),
        "stock": _names(position.stock),
        "base": rank_letter(position.base),
        "pass": position.pass_number,
    }


def write_solvitaire(position: Position, rules: Rules) -> dict:
    """``position`` in Solvitaire's form, ready for JSON: all cards of each foundation, tens written ``10``.

    That form has no place for the base rank or the pass: with bare foundations the base rank is lost.
    """
    def names(cards: Iterable[int]) -> list[str]:
        return [name.replace("T", "10") for name in _names(cards)]

    return {
        "foundations": [names(cards) for cards in position.foundation_cards(rules)],
        "tableau piles": [names(pile) for pile in position.tableau],
        "reserve": [names(position.reserve)],
        "waste": names(position.waste),
        "stock": names(position.stock),
    }


def check_position(position: Position, rules: Rules) -> None:
    """Raise BadInput with the first fault of ``position``."""
    found = faults(position, rules)
    if found:
        raise BadInput(found[0])


def fill_spaces(position: Position, rules: Rules) -> Position:
    """``position`` with its spaces filled from the reserve, left to right, where the rule set does so by itself."""
    if rules.fill != "auto":
        return position
    reserve = list(position.reserve)
    tableau = [pile or ((reserve.pop(),) if reserve else ()) for pile in position.tableau]
    return replace(position, tableau=tuple(tableau), reserve=tuple(reserve))


# Reading the position form ---------------------------------------------------------------------------------------


def _read_position(document: dict, rules: Rules) -> Position:
    """The checked position of a document in position form."""
    for field in document:
        if field not in POSITION_FIELDS:
            raise BadInput(f"unknown field {str(field)!r} of a position: one of {', '.join(POSITION_FIELDS)}")
    tableau = document.get("tableau")
    if not isinstance(tableau, list):
        raise BadInput("a position needs a tableau, a list of piles")
    if len(tableau) != rules.piles:
        raise BadInput(f"{len(tableau)} piles where the rule set has {rules.piles}")
    tops = [name for name in _list_of_names(document.get("foundations", []), "foundations") if name.strip()]
    pass_number = document.get("pass", 1)
    if type(pass_number) is not int or pass_number < 1:
        raise BadInput(f"pass must be a whole number from 1, not {pass_number!r}")
    position = Position(
        foundations=(),
        tableau=tuple(_cards(pile, f"tableau {number}") for number, pile in enumerate(tableau, 1)),
        reserve=_cards(document.get("reserve", []), "reserve"),
        waste=_cards(document.get("waste", []), "waste"),
        stock=_cards(document.get("stock", []), "stock"),
        base=0,
        pass_number=1 if rules.passes is None else pass_number,
    )
    position = _with_foundations(position, _cards(tops, "foundations"), _given_base(document, rules), rules)
    check_position(position, rules)
    return fill_spaces(position, rules)


def _given_base(document: dict, rules: Rules) -> int | None:
    """The base rank that the document or the rule set names, None where neither does."""
    written = document.get("base")
    if written is not None and not isinstance(written, str):
        raise BadInput(f"base must be a rank letter, not {written!r}")
    base = None if written is None else parse_rank(written)
    if rules.base == "dealt":
        return base
    fixed = parse_rank(rules.base)
    if base not in (None, fixed):
        raise BadInput(f"base {written} where the rule set has {rules.base}")
    return fixed


def _with_foundations(position: Position, tops: tuple[int, ...], base: int | None, rules: Rules) -> Position:
    """``position`` with foundations up to the cards ``tops``, which start at ``base``.

    Without a base, the one rank is taken that leaves no card missing and none too often; only bare foundations look
    the same from every base.
    """
    if base is not None:
        return replace(position, foundations=_heights(tops, base, rules), base=base)
    if not tops:
        raise BadInput("the base rank cannot be told without a card on the foundations: give it as base")
    candidates = [replace(position, foundations=_heights(tops, rank, rules), base=rank) for rank in range(rules.ranks)]
    sound = [candidate for candidate in candidates if not faults(candidate, rules)]
    if len(sound) > 1:
        ranks = " ".join(rank_letter(candidate.base) for candidate in sound)
        raise BadInput(f"the base rank may be any of {ranks}: give it as base")
    # Of unsound candidates, that with the fewest faults has the most telling first one.
    return sound[0] if sound else min(candidates, key=lambda candidate: len(faults(candidate, rules)))


def _heights(tops: Iterable[int], base: int, rules: Rules) -> tuple[int, ...]:
    """Heights of the foundations, in the order of ``Position.foundations``, from their top cards."""
    suits: list[list[int]] = [[], [], [], []]
    for card in tops:
        if rank_of(card) >= rules.ranks:
            raise BadInput(f"foundations: {card_name(card)} does not belong to a deck of {rules.ranks} ranks")
        suits[suit_of(card)].append((rank_of(card) - base) % rules.ranks + 1)
    for suit, heights in enumerate(suits):
        if len(heights) > rules.decks:
            raise BadInput(f"{len(heights)} foundations of suit {SUIT_NAMES[suit]} "
                           f"where the rule set has {rules.decks}")
        heights += [0] * (rules.decks - len(heights))
    return tuple(height for heights in suits for height in sorted(heights, reverse=True))


def _cards(value: object, place: str) -> tuple[int, ...]:
    """The cards of a JSON list of names; ``place`` is named when one is wrong."""
    names = _list_of_names(value, place)
    try:
        return tuple(map(parse_card, names))
    except BadInput as fault:
        raise BadInput(f"{place}: {fault}") from None


def _list_of_names(value: object, place: str) -> list[str]:
    if not isinstance(value, list):
        raise BadInput(f"{place} must be a list of cards, not {value!r:.40}")
    for name in value:
        if not isinstance(name, str):
            raise BadInput(f"{place} must be a list of cards, but holds {name!r:.40}")
    return value


def _names(cards: Iterable[int]) -> list[str]:
    return [card_name(card) for card in cards]


# Reading Solvitaire's JSON ---------------------------------------------------------------------------------------

_SOLVITAIRE_RANKS = {"1": "A", "11": "J", "12": "Q", "13": "K"}


def _from_solvitaire(document: dict, rules: Rules) -> dict:
    """The same position in position form."""
    for field in document:
        if field not in SOLVITAIRE_FIELDS:
            raise BadInput(f"unknown field {str(field)!r} of a Solvitaire position: one of "
                           + ", ".join(SOLVITAIRE_FIELDS))
    piles = document["tableau piles"]
    if not isinstance(piles, list):
        raise BadInput("tableau piles must be a list of piles")
    translated = {
        "foundations": _solvitaire_tops(document.get("foundations", []), rules),
        "tableau": [_plain_names(pile, f"tableau {number}") for number, pile in enumerate(piles, 1)],
        "reserve": _plain_names(_joined(document.get("reserve", [])), "reserve"),
    }
    for field in ("waste", "stock"):
        translated[field] = _plain_names(document.get(field, []), field)
    return translated


def _solvitaire_tops(foundations: object, rules: Rules) -> list[str]:
    """Top cards of the foundations, given as a list each, or as one list that names each suit's cards upwards."""
    if isinstance(foundations, list) and any(isinstance(pile, list) for pile in foundations):
        piles = [_cards(_plain_names(pile, "foundations"), "foundations") for pile in foundations]
    else:
        cards = _cards(_plain_names(foundations, "foundations"), "foundations")
        piles = [tuple(card for card in cards if suit_of(card) == suit) for suit in range(4)]
    for pile in piles:
        for below, card in zip(pile, pile[1:]):
            if card != make_card((rank_of(below) + 1) % rules.ranks, suit_of(below)):
                raise BadInput(f"foundations: {card_name(card)} may not lie on {card_name(below)}")
    return [card_name(pile[-1]) for pile in piles if pile]


def _joined(value: object) -> object:
    """A list of lists as one list; anything else as it is."""
    if isinstance(value, list) and value and all(isinstance(part, list) for part in value):
        return [name for part in value for name in part]
    return value


def _plain_names(value: object, place: str) -> list[str]:
    """Names of cards with ranks counted 1 to 13 turned into letters."""
    return [_SOLVITAIRE_RANKS.get(name[:-1], name[:-1]) + name[-1:] for name in _list_of_names(value, place)]
