"""The examples in the docstrings of the estimators run."""

import doctest
from importlib import import_module

import pytest

import rrmlinear

PUBLIC = [getattr(rrmlinear, name) for name in rrmlinear.__all__ if not name.startswith("_")]
CLASSES = [thing.__module__ for thing in PUBLIC if isinstance(thing, type)]
MODULES = sorted({place for place in CLASSES if place.startswith("rrmlinear.estimators.")})


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name):
    outcome = doctest.testmod(import_module(name))
    assert outcome.attempted > 0
    assert outcome.failed == 0
