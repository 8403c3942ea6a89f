"""The command line: `python -m rrmlinear.train`, `predict`, `convert`, `sequences`. Flags are the
catalog's choices in LIBLINEAR's spelling; every outcome ends in a sentence and an exit code.
"""
