"""`train --dask` and `train --mpi`: training over the workers of a cluster."""

from __future__ import annotations

import os
import re
import signal
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from multiprocessing import resource_tracker
from types import SimpleNamespace
from typing import Any

from rrmlinear.cli.files import OFFSETS, blaming
from rrmlinear.cli.flags import sentence_of
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.report import shown_passes, warnings_said
from rrmlinear.cli.summary import summary
from rrmlinear.data.formats.opening import numbers_beside
from rrmlinear.solvers.loop.result import OnPass, TraceRow
from rrmlinear.training.model import Model
from rrmlinear.workers.agreement import check_choices

# Seconds in which a scheduler must answer.
CONNECTION_LIMIT = 20
LOOPBACK = "127.0.0.1"
LOCAL = re.compile(r"local:([1-9]\d{0,3})")


def train_over_workers(options: SimpleNamespace) -> None:
    """Train from the file, which every worker opens, and save; LeaveError for every error."""
    if options.mpi:
        _train_over_processes(options, room("rrmlinear.mpi.training"))
        return
    assert options.dask is not None
    training = room("rrmlinear.dask.training")
    with _sentences():  # before processes start
        check_choices(options.chosen)
    with ExitStack() as stack:
        stack.enter_context(warnings_said())
        client = stack.enter_context(client_of(options.dask, options.dashboard))
        show = _shown(options, stack)
        model = _trained(options, partial(training.fit, client=client), show)
    _save(options, model)


def _train_over_processes(options: SimpleNamespace, training: Any) -> None:
    """The same in each of the processes that mpirun has started; the first one reports."""
    with ExitStack() as stack:
        if training.is_first():
            stack.enter_context(warnings_said())
            try:
                model = _trained(options, training.fit, _shown(options, stack))
            except RuntimeError as error:
                raise LeaveError(f"ERROR: {error}") from None
        else:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            try:
                _trained(options, training.fit, None)
            except (LeaveError, RuntimeError):
                raise LeaveError from None  # the first process has said it
            return
    _save(options, model)


def room(name: str) -> Any:
    """The module, which says what it needs."""
    try:
        return import_module(name)
    except ImportError as error:
        raise LeaveError(f"ERROR: {error}") from None


def _shown(options: SimpleNamespace, stack: ExitStack) -> OnPass:
    """What shows the rows of the trace."""
    reporters = stack.enter_context(shown_passes(options.quiet, options.trace_file))

    def on_pass(row: TraceRow) -> None:
        for show in reporters:
            show(row)

    return on_pass


def _trained(options: SimpleNamespace, fit: Any, on_pass: OnPass | None) -> Model:
    with _sentences():
        model: Model = fit(
            os.path.abspath(options.training_file),
            parameter=options.chosen.choices,
            bias=options.bias,
            strict=options.strict,
            on_pass=on_pass,
            **numbers_beside(options.asked, *OFFSETS),
        )
    return model


@contextmanager
def _sentences() -> Iterator[None]:
    """Errors of the block as the end of the command."""
    try:
        yield
    except (ValueError, FloatingPointError) as error:
        raise LeaveError(f"ERROR: {sentence_of(error)}") from None
    except (ConnectionError, TimeoutError, MemoryError) as error:
        raise LeaveError(f"ERROR: {str(error) or 'not enough memory'}") from None


def _save(options: SimpleNamespace, model: Model) -> None:
    if not options.quiet:
        print(summary(model, options.chosen.solver), flush=True)
    with blaming(f"can't save model to file {options.model_file}"):
        model.save(options.model_file, liblinear=options.liblinear_model)


@contextmanager
def client_of(where: str, dashboard: str | None) -> Iterator[Any]:
    """A client of the scheduler at an address, or of processes of its own, as local:2 says.

    Those listen on this machine alone, and so do their pages, but at the address ``dashboard``.
    """
    from distributed import Client, LocalCluster

    local = LOCAL.fullmatch(where)
    if local is None:
        try:
            client = Client(where, timeout=CONNECTION_LIMIT)
        except (OSError, ValueError, TypeError) as error:
            told = "; Dask's configuration names the files of TLS" if where[:6] == "tls://" else ""
            raise LeaveError(
                f"ERROR: no scheduler answers at {where} ({type(error).__name__}): --dask takes "
                "its address, such as tcp://host:8786, or local:2 for two processes of this machine"
                + told
            ) from None
        with client:
            yield client
        return
    with ExitStack() as stack:
        try:
            with interrupts_withheld():
                cluster = LocalCluster(
                    n_workers=int(local[1]),
                    threads_per_worker=1,
                    processes=True,
                    host=LOOPBACK,
                    dashboard_address=dashboard or f"{LOOPBACK}:0",
                    silence_logs="CRITICAL",  # errors of tasks come as sentences
                )
                stack.enter_context(cluster)
        except (OSError, RuntimeError, ValueError) as error:
            raise LeaveError(f"ERROR: no processes are started: {error}") from None
        yield stack.enter_context(Client(cluster))


@contextmanager
def interrupts_withheld() -> Iterator[None]:
    """Let Ctrl-C act after the block, and never in processes and threads that it starts: these are
    ended in order by the one that started them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
