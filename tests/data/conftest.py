"""The slow reference reader and the generator of texts for the reader's tests."""

import pytest


@pytest.fixture(scope="session")
def fuzz_reader(tool):
    return tool("fuzz_reader")
