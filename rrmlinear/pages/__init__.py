"""Pages about data and runs: facts of a data set, pictures of traces, one HTML file for a run.

A page needs plotly and Jinja, a picture file matplotlib: the extra `report`.
"""
