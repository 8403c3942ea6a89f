"""Risks by copies of dense rows with 16 bits a value."""
