"""From a Problem and a Parameter to a Model."""
