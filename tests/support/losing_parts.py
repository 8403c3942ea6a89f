"""Fleets of workers that lose a part."""

from parts_of_problems import zero

from rrmlinear.solvers.rounds.fleet import LocalFleet, PartsLostError


def losing_at(*numbers):
    """A fleet that loses part 1 at the requests of these numbers; its duals become zero."""

    class Losing(LocalFleet):
        def __init__(self, parts):
            super().__init__(parts)
            self.asked = []

        def answer(self, request):
            self.asked.append(request.asked.name)
            if len(self.asked) in numbers:
                lost = self.parts[1]
                lost.vectors = None
                lost.ascent.replace_duals(zero(lost))
                lost.before, lost.number = lost.ascent.present_duals(), 0
                raise PartsLostError(f"part 1 was lost at request {len(self.asked)}")
            return super().answer(request)

    return Losing
