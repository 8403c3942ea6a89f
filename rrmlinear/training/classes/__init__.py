"""One class against the rest: the problem of each class, all solved in turn, and their result."""
