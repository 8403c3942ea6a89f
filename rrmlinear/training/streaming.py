"""Training over containers larger than memory: whether examples are streamed, and how."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from rrmlinear.catalog.errors import ChoiceError, Named
from rrmlinear.catalog.selection import Selection
from rrmlinear.core.machine import available_memory
from rrmlinear.core.records import replace
from rrmlinear.data.problem import Examples

# Where no limit is chosen, a container larger than this fraction of the available memory is
# streamed, and the training keeps within that.
MEMORY_SHARE = 0.5
# Bytes that a training takes in addition to the examples: for each example, for each score of it,
# and for each weight.
EXAMPLE_BYTES, SCORE_BYTES, WEIGHT_BYTES = 136, 8, 100
# Blocks that are in memory at once, if they are not too small to be worth reading. Ascents mix the
# examples of such blocks, others in each pass: with the same ones together they took twice as many.
AT_ONCE, LARGE_BLOCK = 16, 1 << 20
# Where there is room for fewer, up to this number of smaller ones.
FEW_AT_ONCE, MIN_BLOCK = 4, 1 << 18
MEGABYTE = 10**6

AnyProblem = TypeVar("AnyProblem", bound=Examples)


def bytes_beside(problem: Examples, n_columns: int) -> int:
    """Bytes of duals and weights of a training with this number of columns of weights."""
    beside = problem.rows.shape[0] * (EXAMPLE_BYTES + SCORE_BYTES * n_columns)
    return int(beside + WEIGHT_BYTES * problem.rows.width * n_columns)


def streamed(problem: AnyProblem, chosen: Selection, beside: int) -> AnyProblem:
    """The problem, its rows streamed if its container is larger than the memory for training.

    ``beside`` are the bytes that training takes in addition to the examples. Raises ChoiceError for
    a limit that they exceed, and for one of a problem that is no container.
    """
    container, limit = problem.container, _limit(problem, chosen)
    if container is None or limit is None:
        return problem
    size, memory, left = container.header.file_size, limit.memory, available_memory()
    if size <= memory:
        return problem
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
    evicts = left is not None and size > left
    blocks = container.blocks(most // at_once, at_once, threads, evicts)
    share = "" if limit.chosen else f"{MEMORY_SHARE:g} of the available memory, "
    blocks.reason = (
        f"the container of {_megabytes(size)} is larger than {share}{_megabytes(memory)}: examples "
        f"are streamed in {len(blocks)} blocks"
    )
    container.drop(0, problem.n_examples)
    return replace(problem, rows=problem.rows.streamed(blocks))


def is_held(problem: Examples, chosen: Selection) -> bool:
    """Whether the memory is limited by choice, or by less than what the container takes.

    Raises ChoiceError for a limit of a problem that is no container.
    """
    limit = _limit(problem, chosen)
    if problem.container is None or limit is None:
        return False
    return limit.chosen or problem.container.header.file_size > limit.memory


class _Limit(NamedTuple):
    """Bytes of memory for a training, and whether they are chosen or a share of what there is."""

    memory: int
    chosen: bool


def _limit(problem: Examples, chosen: Selection) -> _Limit | None:
    memory = chosen.choices.memory
    if problem.container is None:
        if memory is not None:
            raise _wrong(
                memory,
                " is for containers, and these examples are in memory already; "
                "python -m rrmlinear.convert makes a container",
            )
        return None
    if memory is not None:
        return _Limit(memory, chosen=True)
    available = available_memory() if "examples" in chosen.features else None
    return None if available is None else _Limit(int(MEMORY_SHARE * available), chosen=False)


def _wrong(memory: int, sentence: str) -> ChoiceError:
    return ChoiceError(Named("memory"), sentence, field="memory", value=memory)


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.3g} MB" if size < 1000 * MEGABYTE else f"{size / 1e9:.3g} GB"
