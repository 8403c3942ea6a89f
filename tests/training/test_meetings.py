"""Estimators at their defaults where mechanisms meet: numbers of `tools/check/meetings.py`."""

import pytest

PARTS = 20


@pytest.mark.parametrize("part", range(PARTS))
def test_fits_are_within_their_tolerance_of_the_best_known_point(tool, part):
    meetings = tool("meetings")
    cases = [meetings.meeting(number) for number in range(part, 320, PARTS)]
    faults = [f"{case}: {found}" for case in cases if (found := meetings.fault(case))]
    assert not faults, "\n".join(faults)
