"""What users take away: scikit-learn's classes, ONNX files, tables of weights, summaries, files of
estimators. The packages for them are imported when asked for.
"""
