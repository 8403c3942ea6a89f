"""
Claims in exposures
===================

``PoissonRegressor`` fits the rate of claims from the claims of policies that were insured for
parts of a year: ``exposure`` is that part. Twice the exposure is twice the mean. A regression of
claims that leaves exposures out tells too low a rate, most of all where policies are short.
"""

import matplotlib.pyplot as plt
import numpy as np

from rrmlinear import PoissonRegressor

rng = np.random.default_rng(0)
age = rng.uniform(18, 80, size=20_000)
years = np.where(age < 30, rng.uniform(0.05, 0.5, age.size), rng.uniform(0.3, 1, age.size))
rate = 0.1 + 0.4 * np.exp(-(age - 18) / 10)
claims = rng.poisson(rate * years)

centres = np.linspace(18, 80, 8)
bumps = np.exp(-(((age[:, None] - centres) / 9) ** 2))
grid = np.linspace(18, 80, 200)
at_grid = np.exp(-(((grid[:, None] - centres) / 9) ** 2))
with_years = PoissonRegressor(alpha=1e-4).fit(bumps, claims, exposure=years)
without = PoissonRegressor(alpha=1e-4).fit(bumps, claims)

figure, axes = plt.subplots(layout="constrained")
axes.plot(grid, 0.1 + 0.4 * np.exp(-(grid - 18) / 10), "k:", label="true rate")
axes.plot(grid, with_years.predict(at_grid), label="with exposures")
axes.plot(grid, without.predict(at_grid), label="without")
axes.set(xlabel="age", ylabel="claims a year")
axes.legend()
predicted = with_years.predict(bumps, exposure=years)
assert abs(predicted.sum() - claims.sum()) < 0.01 * claims.sum()
