"""Fuzzing: random and hostile inputs, made from a seed, and what must hold whatever comes.

A *round* is what one family does with one seed: it makes inputs, uses them, and fails by an exception.
`fuzz.rounds` lists the families, bench/fuzz.py runs as many rounds as one likes, and test_fuzz.py runs a few
of them with the other tests.
"""
