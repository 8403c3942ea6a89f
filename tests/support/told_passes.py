"""Passes of a solver that tests see: a kind of solver runs as it is, and each pass is noted."""


def passes_told(monkeypatch, kind, what=lambda solver, number: number):
    """``what`` of each solver of this ``kind`` and the number of its pass, in a list."""
    found, run_pass = [], kind.run_pass

    def told(self, number):
        found.append(what(self, number))
        run_pass(self, number)

    monkeypatch.setattr(kind, "run_pass", told)
    return found
