"""scikit-learn estimators over the functional door; they alone import scikit-learn."""

try:
    from sklearn.utils.validation import validate_data as _needed  # noqa: F401
except ImportError as error:
    raise ImportError(
        "the estimators need scikit-learn 1.6 or newer: pip install 'rrmlinear[sklearn]'"
    ) from error
