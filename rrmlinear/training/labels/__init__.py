"""Training and prediction of many labels, each against the rest."""
