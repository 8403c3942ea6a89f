"""Run a command: every outcome ends in a sentence and an exit code.

This module imports next to nothing at once: Ctrl-C before `run` begins ends in Python's own error.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from rrmlinear.cli.leaving import INTERRUPTED, LeaveError

BROKEN_PIPE = 141


def run(command: str, arguments: Sequence[str] | None = None) -> int:
    """Run the command whose main stands in this module of `cli`; the exit code.

    The arguments are those of the process by default.
    """
    try:
        _make_streams_safe()
        try:
            main = _imported(command)
            stdout = sys.stdout
            try:
                main(sys.argv[1:] if arguments is None else list(arguments))
            finally:
                sys.stdout = stdout  # an output may have taken it
            exit_code = 0
        except LeaveError as leave:
            exit_code = leave.exit_code
            if leave.output:
                print(leave.output, flush=True)
            _say(leave.message)
        sys.stdout.flush()
        if arguments is None:
            # Python collects garbage once more at its end. It skips frozen objects.
            gc.freeze()
        return exit_code
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        _say("interrupted; nothing was saved")
        return INTERRUPTED
    except MemoryError as error:
        _say(f"ERROR: not enough memory{f': {error}' if str(error) else ''}")
        return 1
    except OSError as error:
        _drop_output()
        _say(f"ERROR: {error}")
        return 1
    except Exception as error:
        _say(f"ERROR: {_unexpected(error)}")
        return 1


def _imported(command: str) -> Callable[[Sequence[str]], None]:
    """The main of a command. The import leaves no garbage, and the search for it takes 10 ms."""
    from rrmlinear.core.deadline import interrupts_put_off

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        # compiled modules, NumPy's among them, report errors of their own where Ctrl-C breaks them
        with interrupts_put_off():
            from rrmlinear.core.blas import begin_with_one_thread

            begin_with_one_thread()
            main: Callable[[Sequence[str]], None] = import_module(f"rrmlinear.cli.{command}").main
    finally:
        if was_enabled:
            gc.enable()
    return main


def _unexpected(error: Exception) -> str:
    """An error that no check has foreseen, and where it arose, in one line."""
    import traceback

    reason = " ".join(str(error).split()) or "no reason is given"
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}, line {place.lineno}"
    return f"{reason} ({type(error).__name__} in {where})"


def _make_streams_safe() -> None:
    """Give a process without standard streams some, and let no encoding end the command."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _say(message: str) -> None:
    if message:
        print(message, file=sys.stderr, flush=True)


def _drop_output() -> None:
    """Drop the output not yet written, so that it does not fail again at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = None
