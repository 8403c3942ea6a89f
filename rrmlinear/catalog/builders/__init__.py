"""How a `Task` becomes a solver: a function for each method, which imports it when it is called."""
