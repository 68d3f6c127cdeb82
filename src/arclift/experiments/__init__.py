"""The tables of the papers, one module each, rebuilt from the user's data."""
