"""The base of estimators: the certificate of a solver as attributes, callbacks, warnings."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from inspect import getdoc
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn.base import BaseEstimator, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import make_constraint
from sklearn.utils.validation import check_is_fitted

from rrmlinear.core.plain_state import PlainState
from rrmlinear.core.warned import warn_caller
from rrmlinear.pages.facts import DataFacts
from rrmlinear.pages.passes import Bar, Lines, LiveLine, bar, can_draw
from rrmlinear.pages.run import Predictions, Run
from rrmlinear.pages.run_pages import write_run
from rrmlinear.pages.traces import DualCounts
from rrmlinear.solvers.loop.result import OnPass, Result, Status, TraceRow
from rrmlinear.training.fit import NotSolvedWarning

#: Seconds between two tasks: a task for each pass would take more time than passes do.
SECONDS_BETWEEN_TASKS = 0.1

if TYPE_CHECKING:  # pyright knows no base that is one of two
    from sklearn.callback import CallbackSupportMixin, with_callbacks
else:
    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks
    except ImportError:  # before 1.9
        CallbackSupportMixin = type("CallbackSupportMixin", (), {})


def tasks(estimator: Any) -> Callable[[TraceRow], bool] | None:
    """A function that tells callbacks a pass, and whether they end the fit; None without."""
    context = getattr(estimator, "_callback_fit_ctx", None)
    return None if context is None else Tasks(estimator, context).show


class Tasks:
    """Tasks of a fit, one for the passes of each tenth of a second."""

    def __init__(self, estimator: Any, context: Any):
        self.estimator, self.context = estimator, context
        self.due = time.monotonic()

    def show(self, row: TraceRow) -> bool:
        now = time.monotonic()
        if now < self.due:
            return False
        self.due = now + SECONDS_BETWEEN_TASKS
        task = self.context.subcontext(task_name="passes")
        task.call_on_fit_task_begin(estimator=self.estimator)
        return bool(task.call_on_fit_task_end(estimator=self.estimator))


def told(fit: Callable[..., Any]) -> Callable[..., Any]:
    """A fit within a task of callbacks, if there are any; a fit inside of it is none of its own."""

    @wraps(fit)
    def fitted(estimator: Any, *data: Any, **named: Any) -> Any:
        has_some = hasattr(estimator, "_skl_callbacks")
        if not has_some or hasattr(estimator, "_callback_fit_ctx"):
            return fit(estimator, *data, **named)
        return within(estimator, *data, **named)

    def within(estimator: Any, *data: Any, **named: Any) -> Any:
        context = estimator._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=estimator)
        found = fit(estimator, *data, **named)
        context.call_on_fit_task_end(estimator=estimator)
        return found

    try:
        within = with_callbacks(within)
    except NameError:  # a scikit-learn without callbacks
        return fit
    fitted.is_told = True  # type: ignore[attr-defined]
    return fitted


#: Seconds between the lines of ``verbose=1``.
PROGRESS_SECONDS = 1.0
#: scikit-learn checks that compare two problems with one minimum to seven digits.
TO_SEVEN_DIGITS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the default tol leaves fewer than 7 digits"
    for kind in ("dense", "sparse")
}


class NotConvergedWarning(ConvergenceWarning, NotSolvedWarning):
    """The solver stopped before ``tol``; the message gives the gap."""


class Elsewhere:
    """A class without some parameters that scikit-learn's of this name has: TypeError says what to
    give in place of each, the values of ``_elsewhere``.
    """

    _elsewhere: ClassVar[Mapping[str, str]]

    def __new__(cls, *values: Any, **named: Any) -> Self:
        for name in named:
            if name in cls._elsewhere:
                raise TypeError(f"{cls.__name__} has no {name}: {cls._elsewhere[name]}")
        return super().__new__(cls)


@dataclass(frozen=True)
class Proof(PlainState):
    """How a fit ended, without weights and duals: objectives times ``scale`` are the class's.

    ``duals`` are counted when a page needs them, where they ``are_coef``: those of ``dual_coef_``.
    """

    result: Result
    scale: float
    duals: DualCounts | None
    are_coef: bool = False


class Certified(CallbackSupportMixin, BaseEstimator):
    """The certificate of a solver, as attributes. A subclass has verbose and perhaps callback, and
    `Saved` and `PlainState` before this base.
    """

    verbose: Any
    _proof_: Proof
    #: The class that lines of progress name, where another one fits by this estimator.
    _speaker = ""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        fit = getattr(cls, "fit", None)  # of this class or of a base that is no `Certified`
        if fit is not None and not hasattr(fit, "is_told"):
            cls.fit = told(fit)  # type: ignore[attr-defined]

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """As scikit-learn's; it reads the signature each time."""
        names: list[str] = super()._get_param_names()
        return names

    @classmethod
    @cache
    def _made_constraints(cls) -> list[tuple[str, Any, list[Any]]]:
        """The parameters with their defaults and what is allowed, as scikit-learn's objects."""
        allowed = cls._parameter_constraints
        return [
            (name, getattr(cls, name, None), [make_constraint(each) for each in allowed[name]])
            for name in cls._get_param_names()
            if name in allowed
        ]

    def _validate_params(self) -> None:
        """As scikit-learn's, which makes the objects of all parameters anew each time.

        A default is allowed; scikit-learn words the errors.
        """
        for name, default, allowed in self._made_constraints():
            value = getattr(self, name)
            if value is not default and not any(each.is_satisfied_by(value) for each in allowed):
                super()._validate_params()

    def report(self, path: str | PathLike[str], *, static: bool = False) -> None:
        """Write a page about the last fit, one HTML file that needs no network.

        It has the problem and the certificate with its trace. A ``static`` page has no script,
        and SVG for pictures. Raises NotFittedError before a fit, and ImportError without the
        packages of the extra ``report``.
        """
        self._write_page(path, None, static=static)

    def _write_page(
        self,
        path: str | PathLike[str],
        facts: DataFacts | None,
        measured: Sequence[Predictions] = (),
        static: bool = False,
    ) -> None:
        check_is_fitted(self)
        name, proof = type(self).__name__, self._proof_
        sentence = (getdoc(type(self)) or name).split("\n\n")[0].replace("`", "")
        run = Run(
            name,
            repr(self),
            sentence=sentence,
            result=proof.result,
            scale=proof.scale,
            duals=self._dual_counts(),
            facts=facts,
            measured=measured,
            static=static,
        )
        write_run(run, path)

    def _dual_counts(self: Any) -> DualCounts | None:
        proof: Proof = self._proof_
        return DualCounts.of(self.dual_coef_) if proof.are_coef else proof.duals

    def _expected_failed_checks(self) -> dict[str, str]:
        """The checks of scikit-learn that it may fail by its parameters, with reasons."""
        expected = dict(TO_SEVEN_DIGITS)
        if getattr(self, "warm_start", False):
            for check in ("check_supervised_y_2d", "check_outliers_fit_predict"):
                expected[check] = "a second fit begins nearer, and ends elsewhere"
        if is_classifier(self) and not getattr(self, "fit_intercept", True):
            expected["check_class_weight_classifiers"] = "needs an intercept"
        return expected

    def _on_pass(self) -> OnPass | None:
        callback, tell = getattr(self, "callback", None), tasks(self)
        if not self.verbose and callback is None and tell is None:
            return None
        shown = self._progress() if self.verbose else None

        def see(row: TraceRow) -> bool:
            if shown is not None:
                shown.show(row)
            if tell is not None and tell(row):
                return True
            return callback is not None and callback(row) is True

        return see

    def _progress(self) -> Lines | LiveLine:
        """What shows the passes: a live line on a terminal and a bar in a notebook (by rich and
        ipywidgets) with ``verbose=1``, else lines.
        """
        if self.verbose == 1 and sys.stdout.isatty():
            return LiveLine(lambda: Bar(sys.stdout))
        if self.verbose == 1 and "ipykernel" in sys.modules and can_draw():
            return LiveLine(lambda: bar(sys.stdout))
        every = PROGRESS_SECONDS if self.verbose == 1 else None
        return Lines(self._say, sys.stdout.flush, every, line_of)

    def _say(self, sentence: str) -> None:
        line = "\r\x1b[K" if sys.stdout.isatty() else ""  # in the place of a live line
        print(f"{line}[{self._speaker or type(self).__name__}] {sentence}", flush=True)

    def _set_certificate(self, result: Result, scale: float = 1.0) -> None:
        """Set the attributes, the objective being ``scale`` times the solver's; may warn.

        The warning names the caller of fit.
        """
        last, self.status_, self.trace_ = result.trace[-1], result.status, result.trace
        self.objective_, self.duality_gap_ = scale * last.primal, scale * last.gap
        self.n_iter_ = last.number
        are_coef = result.duals is not None and hasattr(self, "dual_coef_")
        duals = None if are_coef else DualCounts.of(result.duals)
        self._proof_ = Proof(result.without_arrays(), scale, duals, are_coef)
        if self.verbose:
            self._say(f"{result.status.value}: {line_of(last)}")
            for note in result.notes:
                self._say(note)
        if not (result.status in (Status.SOLVED, Status.STOPPED_BY_CALLER) or result.ended):
            warn_of(result)


def warn_of(result: Any) -> None:
    """Say how far a run is from its tolerance."""
    warn_caller(result.shortfall(), NotConvergedWarning)


def line_of(row: TraceRow) -> str:
    """A pass in one line."""
    return (
        f"pass {row.number}, {row.seconds:.3f} s, primal {row.primal:.8g}, dual {row.dual:.8g}, "
        f"relative gap {row.relative_gap:.3g}"
    )
