"""Bit operations that numba lacks, as single machine instructions, with plain twins for interpreted runs.

Numba turns a mixed uint64 / int64 operation into float64, so kernels keep words in uint64 and cast with ``U``.
"""

import hashlib
import os
from pathlib import Path

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

KERNEL_FILES = ("bits", "packed", "moves", "cardsets", "table", "prunings", "arrangements", "relaxation", "deadends",
                "jams", "search", "setsearch", "bestfirst", "stages", "cores", "rows", "tails", "fronts", "chains",
                "turning", "deferred", "sweep", "estimates", "pilesfirst", "playouts", "prospects", "beam", "choices")


def _choose_cache() -> None:
    """Keep compiled kernels in a folder named after all the source they are made of.

    Numba looks for changes only in a kernel's own file, but kernels take in helpers of other files, and a stale one
    computes nonsense. Where the package cannot be written to, or a folder was chosen already, numba's way stands.
    """
    home = Path(__file__).parent
    if config.CACHE_DIR or not os.access(home, os.W_OK):
        return
    source = b"".join((home / f"{name}.py").read_bytes() for name in KERNEL_FILES)
    config.CACHE_DIR = str(home / "__pycache__" / f"kernels-{hashlib.sha256(source).hexdigest()[:16]}")


_choose_cache()

U = np.uint64
I = np.int64
ZERO = U(0)
ONE = U(1)
# Numba compiles a helper anew for each literal number or truth value that it is called with; for these it does not.
TRUE, FALSE = np.bool_(True), np.bool_(False)

if config.DISABLE_JIT:

    def popcount(word):
        """Number of set bits of a uint64."""
        return I(int(word).bit_count())

    def lowest_bit(word):
        """Index of the lowest set bit of a uint64 that is not 0."""
        return I((int(word) & -int(word)).bit_length() - 1)

    def leading_zeros(word):
        """Number of zeros above the highest set bit of a uint64 that is not 0."""
        return I(64 - int(word).bit_length())

    def prefetch(array, index):
        """Nothing, but see below."""

    def borrow(array):
        """The array itself."""
        return array

else:

    @intrinsic
    def popcount(typingctx, word):
        """Number of set bits of a uint64."""

        def codegen(context, builder, signature, args):
            return builder.ctpop(args[0])

        return types.int64(types.uint64), codegen

    @intrinsic
    def lowest_bit(typingctx, word):
        """Index of the lowest set bit of a uint64 that is not 0."""

        def codegen(context, builder, signature, args):
            return builder.cttz(args[0], context.get_constant(types.boolean, 1))

        return types.int64(types.uint64), codegen

    @intrinsic
    def leading_zeros(typingctx, word):
        """Number of zeros above the highest set bit of a uint64 that is not 0."""

        def codegen(context, builder, signature, args):
            return builder.ctlz(args[0], context.get_constant(types.boolean, 1))

        return types.int64(types.uint64), codegen

    @intrinsic
    def prefetch(typingctx, array, index):
        """Ask for the cache line of ``array``'s item number ``index``, counted through all its dimensions."""

        def codegen(context, builder, signature, args):
            byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
            data = context.make_array(signature.args[0])(context, builder, args[0]).data
            line = builder.module.declare_intrinsic("llvm.prefetch", [byte], ir.FunctionType(
                ir.VoidType(), [byte, number, number, number]))
            builder.call(line, [builder.bitcast(builder.gep(data, [args[1]]), byte), number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(array, types.int64), codegen

    @intrinsic
    def borrow(typingctx, array):
        """The array without its owner, for a kernel's argument: the caller keeps it alive.

        Numba counts references at every call that an array goes through; without an owner there is nothing to
        count. That more than doubles the speed of a search.
        """

        def codegen(context, builder, signature, args):
            view = context.make_array(signature.args[0])(context, builder, args[0])
            view.meminfo = view.meminfo.type(None)
            return view._getvalue()

        return array(array), codegen


def kernel(function):
    """Compile one kernel for all rule sets: cached on disk, free of the global lock, no object mode."""
    return njit(cache=True, nogil=True, error_model="numpy")(function)


def inlined(function):
    """A kernel's small helper: as :func:`kernel`; LLVM inlines it where it pays."""
    return njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function)


def uncompiled(helper):
    """A kernel's helper as plain Python: for a few dozen calls, which take less time than loading its machine code."""
    return getattr(helper, "py_func", helper)


@inlined
def mix(word):
    """A bijective scrambling of 64 bits (the finalizer of MurmurHash3)."""
    word = U(word)
    word ^= word >> U(33)
    word *= U(0xFF51AFD7ED558CCD)
    word ^= word >> U(33)
    word *= U(0xC4CEB9FE1A85EC53)
    word ^= word >> U(33)
    return word
