"""What models add to second derivatives after steps that were too long."""

from __future__ import annotations

# A model adds this fraction of the largest second derivative of each weight. It grows by
# DAMPING_RISE to FIRST_DAMPING at least where a step was too long, and falls after each whole step.
LEAST_DAMPING, FIRST_DAMPING, DAMPING_RISE, DAMPING_FALL = 1e-10, 1e-4, 10.0, 0.3


class Damping:
    """What models add to the second derivative, as a fraction of the largest one."""

    def __init__(self) -> None:
        self.part = LEAST_DAMPING

    def fall(self) -> None:
        """Told of a whole step."""
        self.part = max(LEAST_DAMPING, DAMPING_FALL * self.part)

    def rise(self) -> None:
        """Told of a step that was too long."""
        self.part = max(FIRST_DAMPING, DAMPING_RISE * self.part)
