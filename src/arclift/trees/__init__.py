"""Trees as arrays of heads: pure functions, named as in the papers."""
