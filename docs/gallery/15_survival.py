"""
Survival curves, and who is at risk
===================================

``CoxRegressor`` learns from times to an event of which some are censored: the event had not come
when the study ended. ``alpha=0`` has no penalty, and ``summary`` tells hazard ratios with their
intervals. The curves of two people differ by the power of their hazards; a stratum, here the
clinic, has a baseline of its own.
"""

import matplotlib.pyplot as plt
import numpy as np

from rrmlinear import CoxRegressor

rng = np.random.default_rng(0)
age, treated = rng.normal(60, 10, size=1500), rng.integers(0, 2, size=1500)
clinic = np.array(["north", "south"])[rng.integers(0, 2, size=1500)]
hazard = np.exp(0.04 * (age - 60) - 0.7 * treated) * np.where(clinic == "north", 0.1, 0.25)
lives, study = rng.exponential(1 / hazard), rng.uniform(0, 15, size=1500)
X = np.column_stack([age, treated])
y = np.column_stack([np.minimum(lives, study), lives <= study])

model = CoxRegressor(alpha=0, ties="efron", tol=1e-8).fit(X, y, strata=clinic)
print(model.summary(X, y, strata=clinic))
times = np.linspace(0, 12, 200)
figure, axes = plt.subplots(layout="constrained")
for name, line in (("north", "-"), ("south", ":")):
    people = [[60, 0], [60, 1], [80, 1]]
    curves = model.predict_survival_function(people, times, strata=[name] * 3)
    for (years, has), curve, colour in zip(people, curves, ("C0", "C1", "C2"), strict=True):
        told = f"{years} years, {'treated' if has else 'not treated'}, {name}"
        axes.plot(times, curve, line, color=colour, label=told)
axes.set(xlabel="years", ylabel="part that lives", ylim=(0, 1))
figure.legend(loc="outside lower center", ncols=2)
made = model.summary(X, y, strata=clinic)
assert made.lower[0, 1] < -0.7 < made.upper[0, 1]
assert model.score(X, y, strata=clinic) > 0.6
