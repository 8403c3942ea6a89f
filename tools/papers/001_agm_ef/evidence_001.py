"""The evidence for paper 001: the rates of AGM-EF."""

from __future__ import annotations

from pathlib import Path

from evidence import Evidence

# Fewer seconds than this, and the runs are as short as this.
SHORT, FEWER_STEPS = 120.0, 300


EVIDENCE = [
    Evidence(
        "theorems-6-and-14",
        "Theorems 6 and 14: the rates of AGM-EF-∞ and AGM-EF-1 beside their bounds",
        Path(__file__).parent / "figure_rates.py",
        lambda seconds: ["--steps", str(FEWER_STEPS)] if seconds < SHORT else [],
        "The error falls as 1/k² at least, and linearly where f or Ψ is strongly convex; the "
        "minimum of both bounds holds at every step.",
        "The paper prints no experiment.",
        share=0.5,
    ),
]
