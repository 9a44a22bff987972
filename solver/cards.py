"""Cards: one small integer a card, and its name.

A card is ``4 * rank + suit``. Ranks run from 0 (ace) to 12 (king), suits are numbered clubs, diamonds, spades,
hearts, so that the lowest bit of a card is its colour (0 black, 1 red) and ``card ^ 2`` is its *twin*: the card of
the same rank and colour. Several decks hold several equal integers; nothing tells copies apart.
"""

RANK_NAMES = "A23456789TJQK"
SUIT_NAMES = "CDSH"
SUIT_SYMBOLS = "♣♦♠♥"

_SUIT_CODES = {name: suit for suit, name in enumerate(SUIT_NAMES)}
_SUIT_CODES.update({symbol: suit for suit, symbol in enumerate(SUIT_SYMBOLS)})
_SUIT_CODES.update({symbol: suit for suit, symbol in enumerate("♧♢♤♡")})
_RANK_CODES = {name: rank for rank, name in enumerate(RANK_NAMES)}
_RANK_CODES["10"] = 9


class BadInput(ValueError):
    """What a user gave cannot be used; the message is one line that says what is wrong."""


def make_card(rank: int, suit: int) -> int:
    """The card of ``rank`` (0..12) and ``suit`` (0..3)."""
    return 4 * rank + suit


def rank_of(card: int) -> int:
    """Rank, 0 (ace) to 12 (king)."""
    return card >> 2


def suit_of(card: int) -> int:
    """Suit, 0..3: clubs, diamonds, spades, hearts."""
    return card & 3


def colour_of(card: int) -> int:
    """0 for black, 1 for red."""
    return card & 1


def card_name(card: int) -> str:
    """Two letters, rank then suit: ``'TC'`` is the ten of clubs."""
    return RANK_NAMES[card >> 2] + SUIT_NAMES[card & 3]


def parse_rank(text: str) -> int:
    """Rank 0..12 of ``A 2..9 T (or 10) J Q K``, case ignored. Raises BadInput."""
    rank = _RANK_CODES.get(text.strip().upper())
    if rank is None:
        raise BadInput(f"unknown rank {text!r}: ranks are A 2 3 4 5 6 7 8 9 T J Q K")
    return rank


def parse_card(text: str) -> int:
    """The card that ``text`` names, such as ``9C``, ``10h`` or ``K♠``. Raises BadInput for anything else."""
    plain = text.strip().upper().replace("\ufe0e", "").replace("\ufe0f", "")
    rank = _RANK_CODES.get(plain[:-1])
    suit = _SUIT_CODES.get(plain[-1:])
    if rank is None or suit is None:
        raise BadInput(f"unknown card {text!r}: a card is a rank (A 2..9 T J Q K) and a suit (C D H S)")
    return make_card(rank, suit)


def full_deck(decks: int, ranks: int) -> list[int]:
    """All ``decks * 4 * ranks`` cards in ascending order; ``ranks`` (2..13) keeps the lowest ranks only."""
    return [card for card in range(4 * ranks) for _ in range(decks)]
