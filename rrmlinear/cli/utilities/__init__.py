"""Commands of `rrmlinear` that have no module of their own at the top: scale and path."""
