"""What is recorded: the cases of all parts, which add themselves in this order."""

import of_types  # noqa: F401, I001  (the order is that of the parts)
import of_solvers  # noqa: F401
import of_data  # noqa: F401
import of_doors  # noqa: F401
import of_rounding  # noqa: F401
from case import CASES, Case

__all__ = ["CASES", "Case"]
