from rrmlinear.solvers.dual.pairs._pair_duals import PairDuals

class RowPairs(PairDuals):
    steps: int
    def ascend(self, violation: float, gap: float, most: int) -> None: ...
