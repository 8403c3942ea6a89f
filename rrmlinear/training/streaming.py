"""Training over containers larger than memory: whether examples are streamed, and how."""

from __future__ import annotations

from dataclasses import replace

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import Selection
from rrmlinear.core.available_memory import available_memory
from rrmlinear.data.problem import Problem

# Where no limit is chosen, a container larger than this fraction of the available memory is
# streamed, and the training keeps within that.
MEMORY_SHARE = 0.5
# Bytes that a training takes beside the examples: for each example, for each score of it, and for
# each weight.
EXAMPLE_BYTES, SCORE_BYTES, WEIGHT_BYTES = 136, 8, 100
# Blocks that are in memory at once, if they are not too small to be worth reading. Ascents mix the
# examples of such blocks, others in each pass: with the same ones together they took twice as many.
AT_ONCE, LARGE_BLOCK = 16, 1 << 20
# Where there is room for fewer, up to this number of smaller ones.
FEW_AT_ONCE, MIN_BLOCK = 4, 1 << 18
MEGABYTE = 10**6


def streamed(problem: Problem, chosen: Selection, n_columns: int) -> Problem:
    """The problem, its rows streamed if its container is larger than the memory for training.

    ``n_columns`` is the number of columns of weights. Raises ChoiceError for a limit that duals and
    weights exceed, for one of a problem that is no container, and for a solver type that needs all
    examples in memory.
    """
    container, memory = problem.container, chosen.choices.memory
    if container is None:
        if memory is not None:
            raise _wrong(memory, " is for containers, and these examples are in memory already")
        return problem
    size, available, left = container.header.file_size, None, available_memory()
    if memory is None:
        available = left if "examples" in chosen.features else None
        if available is None:
            return problem
        memory = int(MEMORY_SHARE * available)
    if size <= memory:
        return problem
    if not chosen.solver.streams:
        raise ChoiceError(
            Named("solver", chosen.solver.number),
            " needs all examples in memory: they take ",
            f"{_megabytes(size)}, and there are {_megabytes(memory)} (",
            Named("memory"),
            ")",
            field="solver",
            value=chosen.solver.number,
        )
    beside = problem.n_examples * (EXAMPLE_BYTES + SCORE_BYTES * n_columns)
    beside += WEIGHT_BYTES * problem.rows.width * n_columns
    threads = chosen.choices.threads
    shares = 2 * threads + 2  # each thread's blocks at once, as many ahead, and a reserve of two
    most = (memory - beside) // shares
    at_once = min(AT_ONCE, max(most // LARGE_BLOCK, min(FEW_AT_ONCE, most // MIN_BLOCK)))
    if at_once < 1:
        least = _megabytes(beside + shares * MIN_BLOCK)
        raise _wrong(
            memory,
            f" is {_megabytes(memory)}, and duals, weights and blocks of examples take {least}",
        )
    blocks = container.blocks(most // at_once, at_once, threads, left is not None and size > left)
    limit = f"{_megabytes(memory)}"
    if available is not None:
        limit = f"{MEMORY_SHARE:g} of the available memory, {limit}"
    blocks.reason = (
        f"the container of {_megabytes(size)} is larger than {limit}: examples are streamed in "
        f"{len(blocks)} blocks"
    )
    container.drop(0, problem.n_examples)
    return replace(problem, rows=problem.rows.streamed(blocks))


def _wrong(memory: int, sentence: str) -> ChoiceError:
    return ChoiceError(Named("memory"), sentence, field="memory", value=memory)


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.3g} MB" if size < 1000 * MEGABYTE else f"{size / 1e9:.3g} GB"
