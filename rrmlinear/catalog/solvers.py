"""The table of solver types, by LIBLINEAR's numbers and by names.

It names what builds a solver, which is loaded where a problem comes to its solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from rrmlinear.catalog.errors import ChoiceError, nearest
from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.rows import FEATURES, LossRow, SolverRow

OBJECTIVE = ("loss", "regularizer")
#: Choices of solvers that take all examples at once, and of those whose steps are proximal.
BATCH = (*OBJECTIVE, "free_bias", "budget")
PROXIMAL = (*BATCH, "radius", "lower", "upper", "penalty_factors", "unpenalized", "limit")
ESTIMATE_FUNCTIONS = (*PROXIMAL, "observed", "route", "lipschitz", "prox")
PDPROX = (*PROXIMAL, "ratio", "storage", "averaging")

#: The type where none is chosen: LIBLINEAR's default, or where a loss is, the automatic solver.
DEFAULT, AUTO = 1, "auto"
#: The place of the automatic solver.
AUTOMATIC, BY_BLOCKS = "catalog.auto:automatic", "catalog.auto:by_blocks"

#: Needs that several solver types share.
CONVEX = frozenset({"strongly-convex", "soft-threshold"})
EXAMPLES = frozenset({"examples"})
CHAINS = frozenset({"prox", "chain"})
PROX = frozenset({"prox"})
LABELLINGS = frozenset({"labellings"})
LIKELIHOODS = frozenset({"chain", "smooth", "linear"})
MEASURES = frozenset({"prox", "measure"})
SQUARED_NORM = frozenset({"one-score", "linear"})
BOUNDED = frozenset({"bounded"})  # steps and planes that exponentials would throw far away
#: Words of summaries, and numbers of losses.
SVC, SVR = "support vector classification", "support vector regression"
EPSILON = ("epsilon",)


def _type(number: int, name: str, summary: str, loss: str, rule: str, **more: Any) -> SolverRow:
    """A type of LIBLINEAR: its problem by the automatic solver, ended by its rule."""
    given: dict[str, Any] = {"tolerance": 0.1, "builder": AUTOMATIC, "choices": ()} | more
    given["choices"] = ("tolerance", *given["choices"])
    rule = f"solvers.loop.rules.{rule}"
    return SolverRow(number, name, summary, (PROX,), loss=loss, rule=rule, **given)


def _dual(number: int, name: str, what: str, loss: str, rule: str, **more: Any) -> SolverRow:
    """A type that LIBLINEAR trains by ascent on the dual."""
    return _type(number, name, f"L2-regularized {what} (dual)", loss, f"of_duals:{rule}", **more)


def _primal(number: int, name: str, what: str, loss: str, **more: Any) -> SolverRow:
    """A type that LIBLINEAR trains by Newton's method."""
    given: dict[str, Any] = {"tolerance": 0.01, "choices": ("free_bias",), "form": "primal"} | more
    summary = f"L2-regularized {what} (primal)"
    return _type(number, name, summary, loss, "of_gradients:GradientNorm", **given)


def _sparse(number: int, name: str, what: str, loss: str, rule: str) -> SolverRow:
    """A type with the 1-norm, which LIBLINEAR trains by descent over features."""
    given: dict[str, Any] = {"tolerance": 0.01, "choices": ("free_bias",), "form": "primal"}
    given |= {"regularizer": "l1", "starts": False, "proves": False}
    return _type(number, name, f"L1-regularized {what}", loss, f"of_gradients:{rule}", **given)


#: LIBLINEAR's solver types: their problems, tolerances and stopping rules.
TYPES = (
    _primal(0, "L2R_LR", "logistic regression", "logistic"),
    _dual(1, "L2R_L2LOSS_SVC_DUAL", f"L2-loss {SVC}", "squared-hinge", "DualRange"),
    _primal(2, "L2R_L2LOSS_SVC", f"L2-loss {SVC}", "squared-hinge"),
    _dual(3, "L2R_L1LOSS_SVC_DUAL", f"L1-loss {SVC}", "hinge", "DualRange"),
    _type(
        *(4, "MCSVM_CS", f"{SVC} by Crammer and Singer", "crammer-singer", "of_duals:ClassRange"),
        builder=BY_BLOCKS,
    ),
    _sparse(5, "L1R_L2LOSS_SVC", f"L2-loss {SVC}", "squared-hinge", "SweptSum"),
    _sparse(6, "L1R_LR", "logistic regression", "logistic", "FeatureSum"),
    _dual(7, "L2R_LR_DUAL", "logistic regression", "logistic", "LogisticDual"),
    _primal(
        *(11, "L2R_L2LOSS_SVR", f"L2-loss {SVR}", "squared-epsilon-insensitive"),
        tolerance=0.0001,
        numbers=EPSILON,
    ),
    _dual(
        *(12, "L2R_L2LOSS_SVR_DUAL", f"L2-loss {SVR}", "squared-epsilon-insensitive", "DualSum"),
        numbers=EPSILON,
    ),
    _dual(
        *(13, "L2R_L1LOSS_SVR_DUAL", f"L1-loss {SVR}", "epsilon-insensitive", "DualSum"),
        numbers=EPSILON,
    ),
    _type(
        *(21, "ONECLASS_SVM", "one-class support vector machine (dual)", "one-class"),
        rule="of_duals:FreeRange",
        tolerance=0.01,
        choices=("nu",),
    ),
)

#: Rows of one method's types.
_agm = partial(
    SolverRow,
    needs=(PROX | EXAMPLES, CHAINS, MEASURES),
    choices=ESTIMATE_FUNCTIONS,
    builder="solvers.gradient.agm:AGM",
)
_pdprox = partial(
    SolverRow, needs=(PROX | EXAMPLES,), choices=PDPROX, builder="solvers.primal_dual.pdprox:Pdprox"
)
_planes = partial(
    SolverRow,
    needs=(CONVEX | BOUNDED,),
    choices=(*BATCH, "observed", "line_search"),
    builder="solvers.bundle.bmrm:BMRM",
)
_likelihood = partial(SolverRow, needs=(LIKELIHOODS,), loss="crf")


def _table(*rows: SolverRow) -> dict[int | str, SolverRow]:
    return {row.number: row for row in rows}


SOLVERS: Mapping[int | str, SolverRow] = _table(
    *TYPES,
    SolverRow(
        30,
        "MCSVM_WW",
        "Weston-Watkins SVM of all classes by block coordinate ascent, exact blocks",
        (CONVEX | EXAMPLES,),
        ("block", "accelerate", "inner", "tolerance", "free_bias"),
        BY_BLOCKS,
        loss="weston-watkins",
        blocks=("knapsack", "walrus", "shark"),
        excludes=(("inner", "accelerate"),),
    ),
    SolverRow(
        31,
        "MCSVM_WW_Shark",
        "the same by Shark's greedy blocks",
        (CONVEX | EXAMPLES,),
        ("block", "tolerance", "free_bias"),
        "catalog.builders.dual:plain",
        loss="weston-watkins",
        blocks=("shark",),
    ),
    SolverRow(
        32,
        "SDCA",
        "Prox-SDCA: coordinate ascent on the dual, an example at a time",
        (CONVEX | EXAMPLES,),
        (*OBJECTIVE, "free_bias", "option", "sampling", "averaging"),
        "catalog.builders.dual:plain",
        excludes=(("averaging", "free_bias"),),
    ),
    SolverRow(
        33,
        "SDCA_ACC",
        "the same, accelerated",
        (CONVEX | EXAMPLES,),
        (*OBJECTIVE, "inner"),
        "solvers.dual.accelerated:Accelerated",
    ),
    SolverRow(
        34,
        "PRAGAM",
        "Pragam: weights and duals by the excessive gap",
        (CONVEX | EXAMPLES | BOUNDED, CONVEX | LABELLINGS),
        (*BATCH, "lipschitz"),
        "solvers.gradient.pragam:Pragam",
        graphs=False,
    ),
    _agm(
        *(35, "AGM_EF"),
        "AGM-EF: accelerated gradients by estimate functions, with the memory of all steps",
    ),
    _agm(36, "AGM_EF_1", "the same with the memory of one step", how={"memory": "one"}),
    _pdprox(
        *(37, "PDPROX_DUAL"),
        "Pdprox-dual: prox steps of weights and duals in turn, an extra one of the duals",
        how={"order": "dual"},
    ),
    _pdprox(
        *(38, "PDPROX_PRIMAL", "Pdprox-primal: the same with an extra step of the weights"),
        how={"order": "primal"},
    ),
    _planes(39, "BMRM", "BMRM: cutting planes of the whole risk", how={"update": "qp"}),
    _planes(
        *(40, "LS_BMRM", "ls-BMRM: the same with the mean of all planes and a new one"),
        how={"update": "ls"},
    ),
    SolverRow(
        41,
        "PEGASOS",
        "Pegasos: stochastic subgradient steps",
        (SQUARED_NORM | EXAMPLES | BOUNDED,),
        (*OBJECTIVE, "batch", "averaging"),
        "solvers.gradient.pegasos:Pegasos",
        starts=False,
    ),
    SolverRow(
        42,
        "FISTA",
        "FISTA: accelerated gradient steps over all examples",
        (PROX | {"examples", "smooth"},),
        PROXIMAL,
        "solvers.gradient.fista:FISTA",
        loss="smooth-hinge",
    ),
    SolverRow(
        "newton",
        "NEWTON",
        "Newton's method over all examples, on the augmented Lagrangian of losses with kinks",
        (PROX | EXAMPLES,),
        PROXIMAL,
        "catalog.builders.second_order:newton",
    ),
    SolverRow(
        "bcfw",
        "BCFW",
        "block-coordinate Frank-Wolfe: a sequence at a time, its worst labelling by Viterbi",
        (LABELLINGS | {"linear"},),
        OBJECTIVE,
        "solvers.dual.sequences.frank_wolfe:BlockFrankWolfe",
        graphs=False,
        loss="m3n",
    ),
    _likelihood(
        *("marginals", "MARGINAL_ASCENT", "dual ascent on the marginals of a sequence at a time"),
        choices=OBJECTIVE,
        builder="solvers.dual.sequences.ascent:SequenceMarginals",
        graphs=False,
        starts=False,
    ),
    _likelihood(
        *("lbfgs", "LBFGS", "L-BFGS over all sequences"),
        choices=(*OBJECTIVE, "observed"),
        builder="solvers.lbfgs.lbfgs:LBFGS",
    ),
    _likelihood(
        *("newton-cg", "NEWTON_CG", "Newton's method over all sequences, by conjugate gradients"),
        choices=(*OBJECTIVE, "observed"),
        builder="solvers.lbfgs.lbfgs:NewtonCG",
        graphs=False,
    ),
    SolverRow(
        AUTO,
        "AUTO",
        "solvers in turn: the ascent while it is fast, then acceleration and Newton's method",
        (PROX | EXAMPLES, CHAINS, MEASURES),
        (*PROXIMAL, "observed"),
        AUTOMATIC,
    ),
)

#: What most small fits load, by its places, see `named`: ahead where its time does not count.
OF_SMALL_FITS = (
    AUTOMATIC,
    "losses.margin:Logistic",
    "losses.regression:Squared",
    "regularizers.separable:L2",
    "risks.conditions.intercept:Intercept",
    "solvers.dual.accelerated:Accelerated",
    "solvers.dual.prox_sdca:ProxSDCA",
    "solvers.features.feature_descent:FeatureDescent",
    "solvers.second_order.compiled_steps:CompiledSteps",
)
_BY_NAME = {row.name.upper(): row for row in SOLVERS.values()}

#: Choices that only some solver types have; the numbers of losses and regularizers are not theirs.
OF_SOME_SOLVERS = frozenset(name for row in SOLVERS.values() for name in row.choices)


def find_solver(number: int | str) -> SolverRow:
    """The solver type of this number, or of this name in any case.

    Raises a ChoiceError that lists those that exist.
    """
    row = SOLVERS.get(number) or _BY_NAME.get(str(number).upper())
    if row is None:
        known = ", ".join(
            row.number if isinstance(row.number, str) else f"{row.number} ({row.name})"
            for row in SOLVERS.values()
        )
        near = nearest(number, _BY_NAME) if isinstance(number, str) else ""
        sentence = f"unknown solver type {number}{near}; there are {known}"
        raise ChoiceError(sentence, field="solver", value=number, allowed=f"be one of {known}")
    return row


def losses_of(row: SolverRow) -> tuple[str, ...]:
    """The losses that a solver type takes, the default first."""
    if "loss" not in row.choices:
        return (row.loss,)
    needs = [_part(need, "loss") for need in row.needs]
    fit = (name for name, loss in NAMED_LOSSES.items() if any(n <= loss.could_offer for n in needs))
    return (row.loss, *(name for name in fit if name != row.loss))


def regularizers_of(row: SolverRow) -> tuple[str, ...]:
    """The regularizers that a solver type takes, with some loss."""
    if "regularizer" not in row.choices:
        return (row.regularizer,)
    needs = [_part(need, "regularizer") for need in row.needs]
    offers = {name: each.offers() for name, each in REGULARIZERS.items()}
    return tuple(name for name in offers if any(need <= offers[name] for need in needs))


def solvers_with(choice: str) -> tuple[int | str, ...]:
    """The solver types with which a choice has an effect."""
    return tuple(row.number for row in SOLVERS.values() if choice in row.choices)


def name_for_liblinear(loss: LossRow) -> str:
    """The name under which LIBLINEAR's predict takes a model of this loss."""
    own = (row.name for row in SOLVERS.values() if row.is_liblinear and row.loss == loss.name)
    others = {
        "binary": "L2R_L2LOSS_SVC_DUAL",
        "multiclass": "MCSVM_CS",
        "measure": "L2R_L2LOSS_SVC_DUAL",
        "regression": "L2R_L2LOSS_SVR_DUAL",
    }
    return next(own, others.get(loss.kind, ""))


def _part(needs: frozenset[str], of: str) -> frozenset[str]:
    return frozenset(name for name in needs if FEATURES[name].of == of)


def losses_of_model(name: str) -> tuple[str, ...]:
    """The losses that a model file with the name of this solver type may be of.

    Raises ValueError with the names that exist.
    """
    types = {row.name: row for row in SOLVERS.values()}
    if name not in types:
        raise ValueError(f"unknown solver type {name!r}; there are {', '.join(types)}")
    return losses_of(types[name])
