"""
Labels that depend on their neighbours
======================================

A hidden state stays for some time and is seen through noise. A chain decodes it with the
transitions that it has learned; a classifier of single positions flickers.
"""

import matplotlib.pyplot as plt
import numpy as np

from rrmlinear import ChainCRF, LogisticRegression

rng = np.random.default_rng(0)


def sequence(length=80):
    """Three states that change with a probability of 0.1, and two noisy numbers of each."""
    states = [0]
    while len(states) < length:
        states.append(rng.integers(3) if rng.random() < 0.1 else states[-1])
    centres = np.array([[0, 0], [1, 0], [0, 1]])
    return centres[states] + rng.normal(scale=0.7, size=(length, 2)), np.array(states)


train = [sequence() for _ in range(40)]
X, y = [each for each, _ in train], [each for _, each in train]
seen, true = sequence()
chain = ChainCRF(C=1.0).fit(X, y)
single = LogisticRegression().fit(np.vstack(X), np.concatenate(y))
decoded = {
    "true": true,
    "chain": np.ravel(chain.predict([seen])[0]),
    "each position alone": single.predict(seen),
}

figure, all_axes = plt.subplots(3, 1, sharex=True, figsize=(8, 3.5), layout="constrained")
for axes, (name, labels) in zip(all_axes, decoded.items(), strict=True):
    axes.imshow(labels[None], aspect="auto", cmap="viridis", vmin=0, vmax=2)
    axes.set(title=f"{name}: {(labels == true).mean():.0%} right", yticks=[])
assert (decoded["chain"] == true).mean() > (decoded["each position alone"] == true).mean()
