"""Numbered deals of other programs: ``pysolfc:N``, ``pysolfc:msN`` and ``solvitaire:N``.

Each dealer is written from the description of what its program does; published deals are the tests. Which layout
applies follows from the rule set (decks, piles, reserve, base), so one recipe serves every game of the family.

PySolFC has laid its opening draw on the waste when a game begins; here those cards are still the first of the stock,
and the first turn brings them. Solvitaire keeps its tableau piles in order, the highest card first, and so does the
deal given here; as nothing in the rules depends on where a pile lies, that is only a matter of looks.
"""

import random
from collections.abc import Callable, Iterator, Sequence

from solver.cards import BadInput, make_card, parse_rank, rank_of, suit_of
from solver.rulesets import Rules

DEALERS = ("pysolfc", "solvitaire")

_CLUBS, _DIAMONDS, _SPADES, _HEARTS = range(4)


def numbered_order(dealer: str, number: str, rules: Rules) -> list[int]:
    """The dealing order (see ``dealing``) of deal ``number`` of ``dealer``, ``"pysolfc"`` or ``"solvitaire"``.

    Raises BadInput for a number that the dealer does not have, and for decks that it does not deal.
    """
    if dealer == "pysolfc":
        return _pysolfc_order(number, rules)
    if dealer == "solvitaire":
        return _solvitaire_order(number, rules)
    raise BadInput(f"unknown dealer {dealer!r}: one of {', '.join(DEALERS)}")


def parse_number(text: str, what: str) -> int:
    """The whole number written in ``text``; ``what`` names it in the message of BadInput for anything else."""
    plain = text.strip()
    if not (plain.isascii() and plain.isdecimal() and len(plain) <= 1000):
        raise BadInput(f"{what} is not a whole number: {plain[:40]!r}")
    return int(plain)


def _shuffle_from_the_end(cards: list[int], choose: Callable[[int], int]) -> None:
    """Fisher-Yates from the end; ``choose(n)`` picks one of n places, 0 .. n - 1."""
    for last in range(len(cards) - 1, 0, -1):
        chosen = choose(last + 1)
        cards[last], cards[chosen] = cards[chosen], cards[last]


# PySolFC ---------------------------------------------------------------------------------------------------------

_DROPPED_FROM_NUMBERS = str.maketrans("", "", "#-_.,")
_FIRST_TWISTER_NUMBER = 32_000
_LAST_MICROSOFT_NUMBER = 2**33 - 1


def _pysolfc_order(number: str, rules: Rules) -> list[int]:
    """PySolFC shuffles a list and deals from its end: base card, reserve, piles from right to left, stock."""
    if rules.ranks != 13:
        raise BadInput(f"PySolFC deals decks of 13 ranks, not of {rules.ranks}")
    dealt = _pysolfc_shuffle(number, rules.decks)[::-1]
    if rules.base == "dealt":
        starters, rest = dealt[:1], dealt[1:]
    else:
        # The cards of a fixed base rank are dealt ahead of all others.
        starters, rest = _part_by_rank(dealt, parse_rank(rules.base))
    reserve, rest = rest[:rules.reserve], rest[rules.reserve:]
    piles, stock = rest[:rules.piles][::-1], rest[rules.piles:]
    return [*reserve, *starters, *piles, *stock]


def _part_by_rank(cards: Sequence[int], rank: int) -> tuple[list[int], list[int]]:
    """The cards of that rank, and the others, each in their order."""
    return [card for card in cards if rank_of(card) == rank], [card for card in cards if rank_of(card) != rank]


def _pysolfc_shuffle(number: str, decks: int) -> list[int]:
    """The shuffled list of game ``number``: plain below 32000 and ``msN`` by Microsoft's generator, else by MT19937."""
    plain = "".join(number.split()).translate(_DROPPED_FROM_NUMBERS)
    microsoft = plain.startswith("ms")
    seed = parse_number(plain.removeprefix("ms"), f"PySolFC number {number.strip()[:40]!r}")
    if seed == 0 or (microsoft and seed > _LAST_MICROSOFT_NUMBER):
        raise BadInput(f"PySolFC has no deal {plain}: numbers start at 1, "
                       f"and ms numbers end at {_LAST_MICROSOFT_NUMBER}")
    microsoft = microsoft or seed < _FIRST_TWISTER_NUMBER
    if microsoft and decks == 1:
        by_rank = (_CLUBS, _DIAMONDS, _HEARTS, _SPADES)
        cards = [make_card(rank, suit) for rank in range(13) for suit in by_rank]
    else:
        by_suit = (_CLUBS, _SPADES, _HEARTS, _DIAMONDS)
        cards = [make_card(rank, suit) for _ in range(decks) for suit in by_suit for rank in range(13)]
    _shuffle_from_the_end(cards, _microsoft_chooser(seed) if microsoft else _twister_chooser(seed))
    return cards


def _microsoft_chooser(seed: int) -> Callable[[int], int]:
    """The linear congruential generator of Microsoft's C library, with PySolFC's extensions beyond 31 bits."""
    state = seed % 2**32

    def choose(choices: int) -> int:
        nonlocal state
        state = (state * 214013 + 2531011) % 2**32
        if seed >= 2**32:
            value = (state >> 16) + 1
        else:
            value = (state >> 16) & 0x7FFF
            if seed >= 2**31:
                value |= 0x8000
        return value % choices

    return choose


def _twister_chooser(seed: int) -> Callable[[int], int]:
    """MT19937 as PySolFC takes it from Python: ``random.Random`` seeded with an int.

    Of that module Python's documentation ("Notes on Reproducibility") promises that the seeder and the stream of
    ``random()`` stay as they are; nothing else of it is used.
    """
    generator = random.Random(seed)
    return lambda choices: int(generator.random() * choices)


# Solvitaire ------------------------------------------------------------------------------------------------------

_LAST_SOLVITAIRE_NUMBER = 2**31 - 1
_SOLVITAIRE_SUITS = (_CLUBS, _HEARTS, _SPADES, _DIAMONDS)


def _solvitaire_order(number: str, rules: Rules) -> list[int]:
    """Solvitaire takes the base card from the front of its shuffled list and deals the rest from the back: the stock
    from its bottom, the reserve, the piles from left to right (which then lie in order, see above)."""
    if rules.decks > 2:
        raise BadInput(f"Solvitaire deals one or two decks, not {rules.decks}")
    seed = parse_number(number, "Solvitaire number")
    if seed > _LAST_SOLVITAIRE_NUMBER:
        raise BadInput(f"Solvitaire has no deal {seed}: numbers end at {_LAST_SOLVITAIRE_NUMBER}")
    cards = [make_card(rank, suit)
             for _ in range(rules.decks) for rank in range(rules.ranks) for suit in _SOLVITAIRE_SUITS]
    _shuffle_from_the_end(cards, _boost_chooser(seed))
    if rules.base == "dealt":
        starters, rest = cards[:1], cards[1:]
    else:
        starters, rest = _part_by_rank(cards, parse_rank(rules.base))
    dealt = rest[::-1]
    stock, dealt = dealt[:rules.stock][::-1], dealt[rules.stock:]
    reserve, piles = dealt[:rules.reserve], dealt[rules.reserve:]
    piles.sort(key=lambda card: (rank_of(card), _SOLVITAIRE_SUITS.index(suit_of(card))), reverse=True)
    return [*reserve, *starters, *piles, *stock]


def _boost_chooser(seed: int) -> Callable[[int], int]:
    """boost::random::uniform_int_distribution over std::mt19937: the 2**32 words are cut into equal buckets, one for
    each choice, and a word of the rest beyond the last bucket is thrown away."""
    words = _twister_words(seed)

    def choose(choices: int) -> int:
        bucket = 2**32 // choices
        chosen = choices
        while chosen >= choices:
            chosen = next(words) // bucket
        return chosen

    return choose


def _twister_words(seed: int) -> Iterator[int]:
    """The 32-bit words of MT19937 seeded with one word, as std::mt19937 (Matsumoto and Nishimura, 1998; seeding of
    2002). Python's generator spreads its seeds in another way, so this one is spelled out."""
    state = [seed]
    for index in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + index) % 2**32)
    while True:
        for index in range(624):
            joined = (state[index] & 0x80000000) | (state[(index + 1) % 624] & 0x7FFFFFFF)
            state[index] = state[(index + 397) % 624] ^ (joined >> 1) ^ (0x9908B0DF if joined & 1 else 0)
        for word in state:
            word ^= word >> 11
            word ^= (word << 7) & 0x9D2C5680
            word ^= (word << 15) & 0xEFC60000
            yield word ^ (word >> 18)
