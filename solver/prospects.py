"""What a playout from a position promises: how good a position is, told by how the playout ends, and by some counts.

A playout's end in one word, so that the positions that it leads through share it::

      60..63  56..59   48..55    40..47  32..39   24..31  16..23  8..15     0..7
    | 0     | lowest | reserve | stock | not up | moves | waste | reserve | not up |
                     | at the last redeal       |       | at the end               |

Weights were learned: beams 2,000 positions wide went through 1,000 deals, and in each stage those from which a win was
found were told from the others by logistic regression.
"""

import numpy as np

from solver.bits import I, U, ZERO, inlined
from solver.estimates import lowest_height
from solver.packed import BYTE, DECKS, FIRST_PILE, PASSES, PILES, RANKS, cards_up, stock_size
from solver.playouts import END_LEFT, END_UP, END_WASTE, REDEAL_LEFT, REDEAL_NOT_UP, REDEAL_STOCK, play_on

# The features. Those of the playout: cards not up at its end, their square by eight, cards in the reserve and in the
# waste, moves, height of the lowest foundation; cards that went up before its last redeal, and then left in stock and
# reserve. Those of the position: cards not up, in the stock, in the reserve, in the waste; the sum of the squares of
# the foundations' heights, which is smallest where they are even; spaces; height of the lowest foundation.
FEATURES = ("any", "end not up", "end square", "end reserve", "end waste", "moves", "end lowest", "redeal up",
            "redeal stock", "redeal reserve", "not up", "stock", "reserve", "waste", "squares", "spaces", "lowest")

# Less is better. By passes after this one: none, one, two or more.
_WEIGHTS = {
    0: (-10_000, 22, 12, 725, 90, -39, -340, 0, 0, 0, 342, 20, -12, 371, 20, -1106, -142),
    1: (-14_000, 212, -11, 16, 59, -49, -434, -155, 194, 151, 423, -137, 119, 101, 19, -1422, -361),
    2: (-36_000, 119, -9, -20, -4, -49, -279, -179, 139, 106, 723, -384, 57, 328, 41, -2405, 3746),
}
WEIGHTS = np.array([_WEIGHTS[left] for left in range(len(_WEIGHTS))], np.int64)
SCALE = 12


@inlined
def find_end(state, game, room):
    """Play on from ``state``: the playout's end as a word. room: see playouts.play_on."""
    not_up, moves = play_on(state, game, room)
    lowest = lowest_height(room[END_UP], game.spec)
    return (U(not_up) | room[END_LEFT] << U(8) | room[END_WASTE] << U(16) | U(min(moves, I(255))) << U(24)
            | room[REDEAL_NOT_UP] << U(32) | room[REDEAL_STOCK] << U(40) | room[REDEAL_LEFT] << U(48)
            | U(lowest) << U(56))


@inlined
def end_field(end, shift):
    """One number of a playout's end, int64."""
    return I((end >> U(shift)) & BYTE)


@inlined
def prospect(state, end, weights, spec):
    """How bad a position is from which a playout comes to this end, int64. weights: WEIGHTS."""
    not_up, at_redeal = end_field(end, 0), end_field(end, 32)
    now = 4 * spec[DECKS] * spec[RANKS] - cards_up(state[0])
    at_pass = I((state[1] >> U(16)) & BYTE)
    row = weights[min(max(spec[PASSES] - at_pass, I(0)), I(len(weights) - 1))]
    value = row[0] + row[1] * not_up + row[2] * (not_up * not_up >> 3)
    value += row[3] * end_field(end, 8) + row[4] * end_field(end, 16) + row[5] * end_field(end, 24)
    value += row[6] * (end_field(end, 56) & 15)
    if at_redeal:
        value += row[7] * (now - at_redeal) + row[8] * end_field(end, 40) + row[9] * end_field(end, 48)
    value += row[10] * now + row[11] * stock_size(state, spec) + row[12] * I(state[1] & BYTE)
    value += row[13] * I((state[1] >> U(8)) & BYTE) + row[14] * sum_of_squares(state[0])
    spaces = I(0)
    for pile in range(spec[FIRST_PILE], spec[FIRST_PILE] + spec[PILES]):
        spaces += state[pile] == ZERO
    return (value + row[15] * spaces + row[16] * lowest_height(state[0], spec)) // SCALE


@inlined
def sum_of_squares(foundations):
    """The squares of all foundations' heights, int64."""
    total = I(0)
    while foundations:
        height = I(foundations & U(15))
        total += height * height
        foundations >>= U(4)
    return total
