"""What the reader's tests share: the slow reference reader and the generator of texts."""

import pytest


@pytest.fixture(scope="session")
def fuzz_reader(tool):
    return tool("fuzz_reader")
