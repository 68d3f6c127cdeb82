"""The first rounds of each family: a short slice of what bench/fuzz.py runs a million inputs of."""

import pytest

from arclift import native
from fuzz.rounds import FAMILIES

SEEDS = 8 if native.ENABLED else 1


@pytest.mark.parametrize("family", FAMILIES)
def test_a_few_rounds(family):
    for seed in range(SEEDS):
        FAMILIES[family](seed)
