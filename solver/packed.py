"""The packed state: a position as a handful of 64-bit words, and the rule set as numbers that kernels read.

Ranks are counted from the base (the base card has relative rank 0), so that wrapping around disappears. A *code* is
``4 * relative rank + suit`` (0..51); its lowest bit is the colour and ``code ^ 2`` is the twin of the same colour.

Words of a state (``S`` = first stock word .. ``P`` = first pile word, both in the rule numbers; one deck: 7 words)::

    word 0      foundations: 16 nibbles, nibble 4 * suit + copy = height 0..13, higher ones of a suit first
                63      48 47      32 31      16 15       0
                | hearts  | spades   | diamonds | clubs   |      copy 0 lies lowest in each 16 bits
    word 1      counters: | 0 .. 0 | pass (8) | waste size (8) | reserve left (8) |
    word 2..    stock set: bit i of word 2 + i // 64 is set while card i of the stock list is still in stock or waste
                (the list runs in turning order; the waste is the first `waste size` cards of the set). Of the sets
                that stand for the same row of cards, equal cards of several decks, it is the one furthest forward
    word P..    one word a pile, 0 for a space:
                63                              13 12      6 5        0
                | suit bits, top card lowest      | length | top code |

    Suit bits a card: alternate building 1 (suit >> 1; the colour follows from the place), any 2 (the suit), same
    suit 0. Ranks need none: they go up by one from the top card downwards.

Worked key (canfield, base J): the pile KH QS (king below) has top QS: relative rank 1, suit 2, code 6; length 2;
suit bits KH 1, QS 1 with the top lowest: 0b11. Word = 0b11 << 13 | 2 << 6 | 6 = 24710.

A pile longer than its word holds (51 cards alternate, 25 any suit) cannot be written down. Applying such a move says
so, and the search can then no longer claim "unwinnable".
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from solver.bits import I, ONE, U, ZERO, borrow, inlined, popcount
from solver.cards import BadInput, make_card, rank_of, suit_of
from solver.position import Position
from solver.rulesets import Rules

# Indices of the rule numbers (``Game.spec``, int64).
RANKS, DECKS, PILES, DRAW, PASSES, UNIT, FREE_FILL, ANY_SPACE, RETURNS, SUIT_BITS, COVER, STOCK_CARDS = range(12)
STOCK_WORDS, FIRST_PILE, WIDTH, CAPACITY, PRUNINGS, CLASSES = range(12, 18)
SPEC_LENGTH = 18

UNIT_PILE, UNIT_TOP_OR_PILE, UNIT_SUFFIX = range(3)

FIRST_STOCK = 2
TOP_MASK = U(63)
LENGTH_SHIFT = U(6)
LENGTH_MASK = U(127)
SUITS_SHIFT = U(13)
BYTE = U(255)


class Game(NamedTuple):
    """What does not change during a search.

    spec: int64[SPEC_LENGTH], rule numbers; carries: uint64[64], bit c of carries[h] is set when code c may be built
    on code h; reserve: uint8, codes bottom to top; stock: uint8, codes in turning order (waste bottom first); earlier:
    int64, for each card of ``stock`` the index of the last equal card before it, or -1.
    """

    spec: np.ndarray
    carries: np.ndarray
    reserve: np.ndarray
    stock: np.ndarray
    earlier: np.ndarray


def card_code(card: int, base: int, ranks: int) -> int:
    """Code of ``card`` (relative rank and suit)."""
    return make_card((rank_of(card) - base) % ranks, suit_of(card))


def code_card(code: int, base: int, ranks: int) -> int:
    """The card of a code: inverse of :func:`card_code`."""
    return make_card((rank_of(code) + base) % ranks, suit_of(code))


def pack_game(position: Position, rules: Rules, prunings: int = 0) -> tuple[Game, np.ndarray]:
    """Rule numbers and card lists of ``position``, and its packed state (uint64[WIDTH])."""
    game = make_game(position, rules, prunings)
    return game, pack_position(position, game)


def make_game(position: Position, rules: Rules, prunings: int = 0) -> Game:
    """Rule numbers and card lists of ``position``."""
    codes = _card_codes(position.base, rules.ranks)
    stock_cards = position.waste + position.stock[::-1]
    spec = _rule_numbers(rules, prunings, len(stock_cards)).copy()
    reserve, stock = (np.array([codes[card] for card in cards], np.uint8)
                      for cards in (position.reserve, stock_cards))
    return Game(spec, _carrying_masks(rules), reserve, stock, _earlier_copies(stock_cards))


@lru_cache(maxsize=64)
def _card_codes(base: int, ranks: int) -> list[int]:
    return [card_code(card, base, ranks) for card in range(4 * ranks)]


@lru_cache(maxsize=64)
def _rule_numbers(rules: Rules, prunings: int, stock_cards: int) -> np.ndarray:
    stock_words = max(1, -(-stock_cards // 64))
    suit_bits = {"alternate": 1, "any": 2, "suit": 0}[rules.build]
    spec = np.zeros(SPEC_LENGTH, np.int64)
    spec[RANKS], spec[DECKS], spec[PILES] = rules.ranks, rules.decks, rules.piles
    spec[DRAW], spec[PASSES] = rules.draw, rules.passes or 0
    spec[UNIT] = {"pile": UNIT_PILE, "top-or-pile": UNIT_TOP_OR_PILE, "suffix": UNIT_SUFFIX}[rules.unit]
    spec[FREE_FILL], spec[ANY_SPACE] = rules.fill == "free", rules.fill == "free" or rules.space == "any"
    spec[RETURNS], spec[SUIT_BITS], spec[COVER] = rules.foundation_return, suit_bits, rules.cover_base
    spec[STOCK_CARDS], spec[STOCK_WORDS] = stock_cards, stock_words
    spec[FIRST_PILE], spec[WIDTH] = FIRST_STOCK + stock_words, FIRST_STOCK + stock_words + rules.piles
    spec[CAPACITY] = 127 if suit_bits == 0 else 51 // suit_bits
    spec[PRUNINGS] = prunings
    return spec


def _earlier_copies(cards: Sequence[int]) -> np.ndarray:
    last: dict[int, int] = {}
    earlier = []
    for index, card in enumerate(cards):
        earlier.append(last.get(card, -1))
        last[card] = index
    return np.array(earlier, np.int64)


@lru_cache(maxsize=64)
def _carrying_masks(rules: Rules) -> np.ndarray:
    masks = np.zeros(64, np.uint64)
    for host in range(4 * rules.ranks):
        masks[host] = sum(1 << card for card in range(4 * rules.ranks) if rules.carries(host, card, base=0))
    return masks


def pack_position(position: Position, game: Game) -> np.ndarray:
    """The state words of ``position``; its reserve and stock must be what ``game`` was made from, all unplayed."""
    spec = game.spec
    state = np.zeros(spec[WIDTH], np.uint64)
    decks = int(spec[DECKS])
    foundations = sum(height << 4 * (4 * (index // decks) + index % decks)
                      for index, height in enumerate(position.foundations))
    state[0] = U(foundations)
    state[1] = U(len(position.reserve) | len(position.waste) << 8 | position.pass_number << 16)
    for index in range(int(spec[STOCK_CARDS])):
        state[FIRST_STOCK + index // 64] |= U(1 << index % 64)
    for number, pile in enumerate(position.tableau):
        word = 0
        codes = [card_code(card, position.base, int(spec[RANKS])) for card in pile]
        if len(codes) > spec[CAPACITY]:
            raise BadInput(f"tableau {number + 1} has {len(codes)} cards; the search can write down {spec[CAPACITY]}")
        for code in codes:
            word = word << int(spec[SUIT_BITS]) | _suit_bits(code, int(spec[SUIT_BITS]))
        if codes:
            word = word << int(SUITS_SHIFT) | len(codes) << int(LENGTH_SHIFT) | codes[-1]
        state[spec[FIRST_PILE] + number] = U(word)
    return state


def _suit_bits(code: int, bits: int) -> int:
    return (code & 3) >> (2 - bits) if bits else 0


def unpack_state(state: np.ndarray, game: Game, base: int) -> Position:
    """The plain position that ``state`` packs: inverse of :func:`pack_game`, for any state of the same game."""
    spec = game.spec
    ranks, decks = int(spec[RANKS]), int(spec[DECKS])
    counters = int(state[1])
    left, turned, pass_number = counters & 255, counters >> 8 & 255, counters >> 16 & 255
    in_hand = [code_card(int(game.stock[i]), base, ranks) for i in range(int(spec[STOCK_CARDS]))
               if int(state[FIRST_STOCK + i // 64]) >> i % 64 & 1]
    tableau = []
    for word in state[spec[FIRST_PILE]:]:
        length = int(pile_length(word))
        codes = [int(card_under(word, I(depth), spec)) for depth in reversed(range(length))]
        tableau.append(tuple(code_card(code, base, ranks) for code in codes))
    foundations = tuple(int(state[0]) >> 4 * (4 * suit + copy) & 15 for suit in range(4) for copy in range(decks))
    reserve = tuple(code_card(int(code), base, ranks) for code in game.reserve[:left])
    return Position(foundations, tuple(tableau), reserve, tuple(in_hand[:turned]), tuple(in_hand[turned:][::-1]),
                    base, pass_number)


@inlined
def borrow_game(game):
    """The game with arrays that nobody counts references to, for kernels: see :func:`bits.borrow`."""
    return Game(borrow(game.spec), borrow(game.carries), borrow(game.reserve), borrow(game.stock),
                borrow(game.earlier))


@inlined
def pile_length(word):
    """Cards of a pile, int64."""
    return I((word >> LENGTH_SHIFT) & LENGTH_MASK)


@inlined
def pile_top(word):
    """Code of the last card of a pile that is not empty, int64."""
    return I(word & TOP_MASK)


@inlined
def card_under(word, depth, spec):
    """Code of the card ``depth`` places below the last one (0 = the last card), int64."""
    top = I(word & TOP_MASK)
    if depth == 0:
        return top
    rank = (top >> 2) + depth
    while rank >= spec[RANKS]:
        rank -= spec[RANKS]
    bits = spec[SUIT_BITS]
    if bits == 1:
        suit = ((top ^ depth) & 1) | (I((word >> (SUITS_SHIFT + U(depth))) & ONE) << 1)
    elif bits == 2:
        suit = I((word >> (SUITS_SHIFT + U(2 * depth))) & U(3))
    else:
        suit = top & 3
    return 4 * rank + suit


@inlined
def single_card_pile(code, spec):
    """The word of a pile of one card."""
    bits = spec[SUIT_BITS]
    suit = U(0)
    if bits == 1:
        suit = U((code & 3) >> 1)
    elif bits == 2:
        suit = U(code & 3)
    return (suit << SUITS_SHIFT) | (ONE << LENGTH_SHIFT) | U(code)


@inlined
def remove_unit(word, count, spec):
    """The word of a pile without its last ``count`` cards (0 when none is left)."""
    length = pile_length(word)
    if count == length:
        return ZERO
    suits = (word >> SUITS_SHIFT) >> U(count * spec[SUIT_BITS])
    return (suits << SUITS_SHIFT) | (U(length - count) << LENGTH_SHIFT) | U(card_under(word, count, spec))


@inlined
def join_unit(host, word, count, spec):
    """The word of pile ``host`` with the last ``count`` cards of pile ``word`` laid on it."""
    shift = U(count * spec[SUIT_BITS])
    unit = (word >> SUITS_SHIFT) & ((ONE << shift) - ONE)
    suits = ((host >> SUITS_SHIFT) << shift) | unit
    return (suits << SUITS_SHIFT) | (U(pile_length(host) + count) << LENGTH_SHIFT) | (word & TOP_MASK)


@inlined
def next_up(foundations, spec):
    """Mask of the codes that may go to a foundation now."""
    mask = ZERO
    for suit in range(4):
        for copy in range(spec[DECKS]):
            height = I((foundations >> U(16 * suit + 4 * copy)) & U(15))
            if height < spec[RANKS]:
                mask |= ONE << U(4 * height + suit)
    return mask


@inlined
def has_redeal(at_pass, spec):
    """Is there another pass after this one?"""
    return spec[PASSES] == 0 or I(at_pass) < spec[PASSES]


@inlined
def stock_size(state, spec):
    """Cards in stock and waste together, int64."""
    size = I(0)
    for word in range(spec[STOCK_WORDS]):
        size += popcount(state[FIRST_STOCK + word])
    return size


@inlined
def cards_up(foundations):
    """Cards on all foundations, int64."""
    total = I(0)
    while foundations:
        total += I(foundations & U(15))
        foundations >>= U(4)
    return total
