"""Positions and moves written down for tests: only the cards that matter, the rest of the deck need not be there."""

from solver.cards import parse_card, parse_rank
from solver.game import Move, card_moves
from solver.position import Position
from solver.rulesets import Rules


def cards(text: str) -> tuple[int, ...]:
    """The cards of a text such as ``"9C KS"``."""
    return tuple(parse_card(name) for name in text.split())


def table(piles: str, heights: tuple[int, ...] = (0, 0, 0, 0), reserve: str = "", waste: str = "", stock: str = "",
          base: str = "A", pass_number: int = 1) -> Position:
    """A position; ``piles`` are parted by ``|``, a space is left blank, and every text lists its cards as they lie,
    bottom to top, but ``stock`` as it is turned, first card first."""
    return Position(
        foundations=heights,
        tableau=tuple(cards(pile) for pile in piles.split("|")),
        reserve=cards(reserve),
        waste=cards(waste),
        stock=cards(stock)[::-1],
        base=parse_rank(base),
        pass_number=pass_number,
    )


def move(card: str, source: str, target: str, count: int = 1, turns: int = 0, fill: str | None = None) -> Move:
    """A move with its cards by name."""
    return Move(turns, parse_card(card), count, source, target, None if fill is None else parse_card(fill))


def moves_from(position: Position, rules: Rules, source: str) -> set[Move]:
    """The legal moves without turns that take cards from ``source``."""
    return {found for found in card_moves(position, rules) if found.source == source}
