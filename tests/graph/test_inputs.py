"""What a graph parser knows of words: bounds that a treebank or a model file may go beyond."""

import numpy as np
import pytest

from arclift.errors import UsageError
from arclift.features.address import Attribute
from arclift.features.values import Column, Values
from arclift.graph.inputs import Inputs
from arclift.graph.scorer import MOST_ROWS


def test_more_features_than_a_string_may_have_are_refused_with_a_way_out():
    strings = ["|".join(f"F{name}=x" for name in range(MOST_ROWS)).encode(), b"F0=y"]
    ids = np.array([0, 0, 1, 1], dtype=np.int32)
    columns = {"form": Column([b"a", b"b"], ids), "feats": Column(strings, ids)}
    Inputs.learn("form feats*", columns, 1)
    with pytest.raises(UsageError, match=r"feats has 257 attributes.*instead of feats\*"):
        Inputs.learn("form feats feats*", columns, 1)


@pytest.mark.parametrize("names", [[], ["form", "upos", "lower"]])
def test_attributes_of_one_column_stand_together(names):
    with pytest.raises(UsageError, match="in order of their columns"):
        Inputs(Values([Attribute(name) for name in names], [["a"]] * len(names)))
