"""The scores on a real treebank: what is counted there is known from the literature."""

import os
from pathlib import Path

import pytest

from arclift.evaluate import Policy, evaluate

SHARED = Path(os.environ.get("ARCLIFT_SHARED", Path(__file__).parents[3] / "shared"))
DDT = SHARED / "treebanks" / "da_ddt"


@pytest.mark.corpora
@pytest.mark.skipif(not DDT.is_dir(), reason="the Danish Dependency Treebank is not beside the project")
def test_the_danish_treebank_has_as_many_nonprojective_arcs_as_nivre_and_nilsson_count():
    files = [path for part in ("train", "dev", "test") for path in DDT.glob(f"{part}.conll*")]
    assert len(files) == 3
    found = [evaluate(path, path, policy=Policy("conllx")) for path in files]
    assert all(one.attachment.exact_match_labelled == 1 for one in found)
    every = [evaluate(path, path).nonprojective.labelled for path in files]
    assert sum(one.gold for one in every) == sum(one.system_right for one in every) == 987
