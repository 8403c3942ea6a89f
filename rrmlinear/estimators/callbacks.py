"""scikit-learn's callbacks (from 1.9 on): each fit is a task, and each sight of its passes another.

`ProgressBar` and others are set by ``set_callbacks``, on an estimator or on a pipeline or search
around it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from rrmlinear.solvers.loop.result import TraceRow

#: Seconds between two tasks: a task for each pass would take more time than passes do.
SECONDS_BETWEEN_TASKS = 0.1

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
    return fitted
