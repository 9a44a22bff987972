"""How far a position of the pile game seems from a win: the numbers that best-first search goes by, and their weights.

An estimate is a weighted sum of the features below, smaller is better. Weights were found by trying changes at random
on a few dozen deals and keeping those that won more of them; they decide how soon a win is found, never the verdict.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from solver.bits import I, ONE, U, ZERO, inlined, lowest_bit, mix, popcount
from solver.cardsets import has_card_sets
from solver.packed import (BYTE, DECKS, FIRST_PILE, FIRST_STOCK, PASSES, PILES, RANKS, STOCK_CARDS, STOCK_WORDS,
                           cards_up, pile_length, pile_top, stock_size)
from solver.rulesets import Rules

# The features. Up to PASS they are counts of cards (and the number of the pass); LOWEST is the height of the lowest
# foundation; WOUND counts cards that lie on a pile beyond a base card; KNOTS are cards of reserve, and on the last pass
# of the waste, that lie on a lower card of their suit, which waits for them to find a place; LEFT_OVER, in a beam
# only, is what a playout leaves of the cards; ANY is always 1; NOISE weighs a number at random from 0 to almost 1.
ANY, RESERVE_LEFT, NOT_UP, STOCK_LEFT, WASTE_SIZE, PASS = range(6)
SPACES, SINGLES, WOUND, LOWEST, WASTE_KNOTS, RESERVE_KNOTS, LEFT_OVER, NOISE = range(6, 14)
FEATURES = 14
NOISE_STEPS = 256

# One deck: keeping cards in the stock that need not lie on the tableau pays where the stock comes round without limit;
# where passes are few, what is turned past counts instead.
UNLIMITED = ({RESERVE_LEFT: 40, NOT_UP: 5, STOCK_LEFT: -4}, {RESERVE_LEFT: 10, NOT_UP: 5, STOCK_LEFT: -6})
LIMITED = ({RESERVE_LEFT: 10, NOT_UP: 5, WASTE_SIZE: 2, PASS: 40},
           {RESERVE_LEFT: 10, NOT_UP: 5, STOCK_LEFT: -4, WASTE_SIZE: 1, PASS: 30})

# One deck by levels (tries_of_sets): the latest position; the one with more cards out of the reserve; with more cards
# up and more kept in the stock, in three measures; with fewer kept. For limited passes, with fewer cards up and turned
# past; with fewer turned past alone; with fewer kept as well; and with fewer that are not up, too.
LEVELS_LATEST, LEVELS_RESERVE = ({},), ({RESERVE_LEFT: 1},)
LEVELS_KEPT, LEVELS_EVEN, LEVELS_STOCK = (({NOT_UP: up, STOCK_LEFT: -kept},) for up, kept in ((3, 1), (1, 1), (1, 2)))
LEVELS_PLAYED = ({STOCK_LEFT: 1},)
LEVELS_LIMITED, LEVELS_TURNED = ({NOT_UP: 1, WASTE_SIZE: 1, PASS: 20},), ({WASTE_SIZE: 1, PASS: 35},)
LEVELS_TAKEN = ({WASTE_SIZE: 1, PASS: 35, STOCK_LEFT: 2},)
LEVELS_SENT = ({NOT_UP: 3, WASTE_SIZE: 1, PASS: 35, STOCK_LEFT: 2},)

# Several decks: piles of one card are places yet to be used; foundations grow evenly, so that both copies of a card
# find theirs.
_SEVERAL = {ANY: 400, RESERVE_LEFT: 20, NOT_UP: 10, SPACES: -1, SINGLES: -9, WOUND: 1, LOWEST: -19}
SEVERAL_UNLIMITED = (_SEVERAL | {STOCK_LEFT: -8}, _SEVERAL | {STOCK_LEFT: -4})
ONE_CARD_STAGED = {ANY: 500, RESERVE_LEFT: 1, NOT_UP: 6, STOCK_LEFT: -1, WASTE_SIZE: 2, PASS: 104, SPACES: -1,
                   SINGLES: 9, WOUND: -5, LOWEST: -20, WASTE_KNOTS: 12, RESERVE_KNOTS: 15}
STAGED = {ANY: 300, RESERVE_LEFT: 3, NOT_UP: 12, STOCK_LEFT: 2, WASTE_SIZE: 2, PASS: 7, SPACES: -3,
          SINGLES: 1, WOUND: -15, LOWEST: -1, WASTE_KNOTS: 12, RESERVE_KNOTS: 12}

# In a beam the playout says nearly all; the rest parts equals.
BEAM = {ANY: 200, LEFT_OVER: 16, NOT_UP: 1, STOCK_LEFT: 1, RESERVE_LEFT: 1, WASTE_SIZE: 1}

# For deals that both of SEVERAL_UNLIMITED miss: few deals are missed by all of these, as each errs elsewhere.
OTHERS = (
    _SEVERAL | {STOCK_LEFT: -8, WASTE_SIZE: 1, SINGLES: -17, LOWEST: -17},
    _SEVERAL | {STOCK_LEFT: -8, NOT_UP: 6},
    _SEVERAL | {STOCK_LEFT: -4, RESERVE_LEFT: 30, SPACES: 0, SINGLES: -15, WOUND: 5, LOWEST: -10},
    _SEVERAL | {STOCK_LEFT: -2, RESERVE_LEFT: 30, WASTE_SIZE: 1, SINGLES: -17, LOWEST: -17},
    _SEVERAL | {STOCK_LEFT: -8, RESERVE_LEFT: 64, SINGLES: -7, LOWEST: -18},
    _SEVERAL | {STOCK_LEFT: -8, RESERVE_LEFT: 40, WOUND: 5, LOWEST: -15},
)

UNLIMITED_NODES = 1 << 62
SET_LEVELS = 66
FIRST_TRIES, OTHER_TRIES, LAST_TRIES, TRY_NODES = 4, 100, 150, 1000
STAGED_TRIES, ONE_CARD_NODES, STAGED_NODES = 20, 4000, 20_000
NOISE_AT_FIRST, NOISE_LATER, NOISE_LAST = 20, 40, 60
BEAMS = ((300, 20), (3000, 100), (10_000, 250))  # by choices, with several decks
BEAMS_WITH_PARTS = ((300, 3), (1000, 4))  # where parts of piles move, which choices leave out for the most part
BEAMS_OF_PILES = ((300, 3), (1000, 3), (3000, 3))  # with one deck
BEAMS_OF_SETS, LATE_BEAMS_OF_SETS = ((100, 10),), ((4000, 20),)
MOST_STAGES, STAGE_CARDS = 64, 9
"""How wide beams are and how many positions that are alike they take; stages of at least so many cards of the stock,
and how many there are at most. Nodes by stages are for two decks."""


@dataclass(frozen=True)
class Try:
    """One search from the start: its estimates (see above), how many nodes it gets at most, the number of stages (see
    pilesfirst.py; 0 for a queue for each estimate), the seed of its noise, and for a beam how wide it is, how many
    positions that are alike it takes (see beam.py), and whether it goes by choices (see choices.py)."""

    estimates: tuple[dict[int, int], ...]
    nodes: int
    stages: int = 0
    number: int = 0
    wide: int = 0
    alike: int = 0
    by_choices: bool = False


def weights_of(*estimates: dict[int, int]) -> np.ndarray:
    """Weights as kernels read them, int64[estimates, FEATURES]; each estimate has a queue of its own."""
    weights = np.zeros((len(estimates), FEATURES), np.int64)
    for queue, estimate in enumerate(estimates):
        for feature, weight in estimate.items():
            weights[queue, feature] = weight
    return weights


def estimates_for(rules: Rules) -> tuple[dict[int, int], ...]:
    """The estimates of the long search under a rule set."""
    if rules.passes is not None:
        return LIMITED
    return UNLIMITED if rules.decks == 1 else SEVERAL_UNLIMITED


@lru_cache(maxsize=64)
def tries_for(rules: Rules) -> tuple[Try, ...]:
    """Searches of the pile game to make before the long one, or before those of the set game.

    Where nearly every deal is won, most of the effort goes where a search happened to start wrong, so that starting
    again with some noise finds a win sooner than going on.
    """
    if rules.passes is not None:
        return beams_for(rules) + (() if rules.decks == 1 else staged_tries(rules))
    if rules.decks == 1:
        return ()
    first = (Try((SEVERAL_UNLIMITED[number % 2] | {NOISE: NOISE_AT_FIRST},), TRY_NODES, number=number)
             for number in range(FIRST_TRIES))
    later = (Try((OTHERS[number % len(OTHERS)] | {NOISE: NOISE_LATER},), TRY_NODES, number=number)
             for number in range(OTHER_TRIES))
    last = (Try((OTHERS[number % len(OTHERS)] | {NOISE: NOISE_LAST},), 2 * TRY_NODES, number=OTHER_TRIES + number)
            for number in range(LAST_TRIES))
    return (*first, *later, *last)


def beams_for(rules: Rules) -> tuple[Try, ...]:
    """Beams of growing width to begin with."""
    if has_card_sets(rules):
        return _beams(rules, BEAMS_OF_SETS if rules.passes > 1 else ())  # on one pass hardly a deal is won
    if rules.decks == 1:
        return _beams(rules, BEAMS_OF_PILES)
    if rules.unit == "suffix":
        return _beams(rules, BEAMS[:1], by_choices=True) + _beams(rules, BEAMS_WITH_PARTS)
    return _beams(rules, BEAMS, by_choices=True)


def late_beams_for(rules: Rules) -> tuple[Try, ...]:
    """Beams to try before the sweep."""
    return _beams(rules, LATE_BEAMS_OF_SETS if rules.passes not in (None, 1) else ())


def _beams(rules: Rules, beams: tuple[tuple[int, int], ...], by_choices: bool = False) -> tuple[Try, ...]:
    stages = stages_of(rules)
    # More positions in all than a beam can expand, also following playouts.
    return tuple(Try((BEAM | {NOISE: 4 if number else 0},), (wide + STAGE_CARDS) * 2 * stages, stages, number, wide,
                     alike, by_choices) for number, (wide, alike) in enumerate(beams))


def stages_of(rules: Rules) -> int:
    """Stages of the stock of a search of limited passes."""
    return min(MOST_STAGES, -(-(rules.passes or 1) * (rules.stock + 1) // STAGE_CARDS))


def staged_tries(rules: Rules) -> tuple[Try, ...]:
    """Tries by stages of the stock, for several decks and limited passes."""
    staged, nodes = (ONE_CARD_STAGED, ONE_CARD_NODES) if rules.draw == 1 else (STAGED, STAGED_NODES)
    nodes, stages = nodes * rules.cards // 104, stages_of(rules)
    by_stages = [Try((staged | {NOISE: NOISE_AT_FIRST if number else 0},), nodes, stages, number)
                 for number in range(STAGED_TRIES)]
    # Where stages mislead, as they may in decks of few ranks, one search of the other kind does better.
    return (*by_stages[:1], Try(LIMITED, nodes // 2), *by_stages[1:])


@lru_cache(maxsize=64)
def tries_of_sets(rules: Rules) -> tuple[Try, ...]:
    """Best-first searches of the set game to make one after the other (see bestfirst.py): what one misses soon, another
    finds. The last goes on without end where no sweep follows.

    By levels, a position is only compared with those that have as many cards up or out of the reserve.
    """
    if rules.passes == 1:
        plans = ((LEVELS_LIMITED, 20_000),)  # hardly a deal is won
    elif rules.passes is not None and rules.draw == 1:
        third = (LEVELS_TAKEN, 45_000) if rules.unit == "pile" else (LEVELS_SENT, 60_000)
        plans = ((LEVELS_TAKEN, 2_500), (LEVELS_TURNED, 24_000), third)
    elif rules.passes is not None:
        plans = ((LEVELS_LIMITED, 5_000),)
    elif rules.unit == "pile" and rules.cover_base:
        plans = ((UNLIMITED, 8_000), (LEVELS_LATEST, 24_000), (LEVELS_KEPT, 8_000))
    elif rules.unit == "pile":
        plans = ((UNLIMITED, 5_000), (LEVELS_STOCK, 24_000), (LEVELS_RESERVE, 8_000), (LEVELS_KEPT, 16_000))
    elif not rules.cover_base:
        plans = ((UNLIMITED, 5_000), (LEVELS_RESERVE, 2_000), (LEVELS_EVEN, 48_000), (LEVELS_STOCK, 12_000))
    elif rules.unit == "suffix":
        plans = ((UNLIMITED, 5_000), (LEVELS_RESERVE, 32_000), (LEVELS_LATEST, 12_000), (UNLIMITED, 32_000))
    else:
        plans = ((UNLIMITED, 10_000), (LEVELS_RESERVE, 60_000), (LEVELS_PLAYED, 60_000), (LEVELS_KEPT, 48_000))
    if rules.fill == "free" or rules.foundation_return:
        plans += ((LIMITED if rules.passes is not None else UNLIMITED, UNLIMITED_NODES),)
    return tuple(Try(estimates, nodes, 0 if len(estimates) > 1 else SET_LEVELS) for estimates, nodes in plans)


def count_knots(codes: np.ndarray) -> np.ndarray:
    """How many of the lowest 0 .. n cards of a reserve (uint8[n]) lie on a lower card of their suit: int64[n + 1]."""
    knots = [0]
    lowest = [99] * 4
    for code in codes.tolist():
        rank, suit = code >> 2, code & 3
        knots.append(knots[-1] + (rank > lowest[suit]))
        lowest[suit] = min(rank, lowest[suit])
    return np.array(knots, np.int64)


@inlined
def find_features(state, game, knots, shape, seed, features):
    """Write the features of a state into ``features`` (int64[FEATURES]).

    knots: see :func:`count_knots`; shape: False leaves out what depends on more than counts of cards; seed: uint64 that
    the noise comes from.
    """
    spec = game.spec
    left = I(state[1] & BYTE)
    features[ANY] = 1
    features[RESERVE_LEFT] = left
    features[NOT_UP] = 4 * spec[DECKS] * spec[RANKS] - cards_up(state[0])
    features[STOCK_LEFT] = stock_size(state, spec)
    features[WASTE_SIZE] = I((state[1] >> U(8)) & BYTE)
    features[PASS] = I((state[1] >> U(16)) & BYTE)
    if not shape:
        return
    spaces, singles, wound = I(0), I(0), I(0)
    for pile in range(spec[FIRST_PILE], spec[FIRST_PILE] + spec[PILES]):
        word = state[pile]
        length = pile_length(word)
        spaces += length == 0
        singles += length == 1
        wound += max((pile_top(word) >> 2) + length - spec[RANKS], I(0))
    features[SPACES], features[SINGLES], features[WOUND] = spaces, singles, wound
    features[LOWEST] = lowest_height(state[0], spec)
    features[WASTE_KNOTS] = 0
    if features[PASS] == spec[PASSES]:
        features[WASTE_KNOTS] = waste_knots(state, game, features[WASTE_SIZE])
    features[RESERVE_KNOTS] = knots[left]
    features[NOISE] = I(mix(seed) & U(NOISE_STEPS - 1))


@inlined
def stock_stage(state, spec, stages):
    """How far on the way through the stock a state is, over all passes, as one of ``stages`` equal steps, int64."""
    turned = I((state[1] >> U(8)) & BYTE)
    last, seen = I(0), I(0)
    for word in range(spec[STOCK_WORDS]):
        left = state[FIRST_STOCK + word]
        here = popcount(left)
        if seen + here < turned:
            seen += here
            continue
        while left and seen < turned:
            last = I(64) * word + lowest_bit(left) + 1
            left &= left - ONE
            seen += 1
        break
    way = spec[STOCK_CARDS] + 1
    done = (I((state[1] >> U(16)) & BYTE) - 1) * way + last
    return min(done * stages // (max(spec[PASSES], I(1)) * way), I(stages - 1))


@inlined
def lowest_height(foundations, spec):
    """Height of the lowest foundation, int64."""
    lowest = I(15)
    for suit in range(4):
        lowest = min(lowest, I((foundations >> U(16 * suit + 4 * (spec[DECKS] - 1))) & U(15)))
    return lowest


@inlined
def waste_knots(state, game, turned):
    """Cards of the waste that lie on a lower card of their suit, int64."""
    lowest = ~ZERO  # a byte a suit, the lowest rank so far
    knots, seen = I(0), I(0)
    for word in range(game.spec[STOCK_WORDS]):
        left = state[FIRST_STOCK + word]
        while left and seen < turned:
            code = U(game.stock[I(64) * word + lowest_bit(left)])
            left &= left - ONE
            seen += 1
            shift = U(8) * (code & U(3))
            rank, least = code >> U(2), (lowest >> shift) & BYTE
            knots += rank > least
            if rank < least:
                lowest = (lowest & ~(BYTE << shift)) | (rank << shift)
    return knots


@inlined
def estimate(weights, queue, features):
    """The weighted sum of features that queue ``queue`` goes by, int64."""
    value = I(0)
    for feature in range(FEATURES - 1):
        value += weights[queue, feature] * features[feature]
    return value + weights[queue, NOISE] * features[NOISE] // NOISE_STEPS
