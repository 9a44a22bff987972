"""The seeded shuffle: deal number N is one permutation of the deck, the same on every machine and for ever.

Everything below is integer arithmetic of this file, so no change of Python or of a library can move a deal:

* The cards start in the order of ``cards.full_deck``: AC AD AS AH 2C ... KH, equal cards of several decks together.
* Random words are SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), all
  modulo 2^64: the state goes up by GAMMA = 0x9E3779B97F4A7C15, and each word is the new state sent through ::

      mix64(z):  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
                 z = (z ^ (z >> 27)) * 0x94D049BB133111EB
                 return z ^ (z >> 31)

* The state starts at mix64(N + GAMMA), so that neighbouring numbers start far apart (mix64 is one to one).
* Fisher-Yates from the end: for last = n - 1 down to 1, swap the cards at ``last`` and at ``word mod (last + 1)``.
  A word not below the largest multiple of ``last + 1`` within 2^64 is thrown away and the next is taken, which makes
  every choice exactly even.
"""

from functools import lru_cache

from solver.cards import BadInput, full_deck

SEEDS = 1 << 64
"""Deal numbers run from 0 to SEEDS - 1."""

_WORDS = 1 << 64
_MASK = _WORDS - 1
_GAMMA = 0x9E3779B97F4A7C15


def mix64(z: int) -> int:
    """SplitMix64's output function, a permutation of the integers 0 .. 2^64 - 1."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def shuffled_deck(seed: int, decks: int, ranks: int) -> list[int]:
    """All ``decks * 4 * ranks`` cards in the order of deal number ``seed``, the first card dealt first.

    Raises BadInput unless 0 <= seed < 2**64.
    """
    if not 0 <= seed < SEEDS:
        raise BadInput(f"deal number {seed} is not one of 0 to {SEEDS - 1}")
    sorted_deck, steps = _plan(decks, ranks)
    cards = list(sorted_deck)
    state = mix64((seed + _GAMMA) & _MASK)
    for last, choices, fair_words in steps:
        word = fair_words
        while word >= fair_words:
            state = (state + _GAMMA) & _MASK
            word = mix64(state)
        chosen = word % choices
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return cards


@lru_cache
def _plan(decks: int, ranks: int) -> tuple[tuple[int, ...], list[tuple[int, int, int]]]:
    """What all shuffles of such a deck share: its cards in order, and for each swap the place of its last card, the
    number of choices, and the bound below which words fall evenly on the choices."""
    cards = tuple(full_deck(decks, ranks))
    return cards, [(size - 1, size, _WORDS - _WORDS % size) for size in range(len(cards), 1, -1)]
