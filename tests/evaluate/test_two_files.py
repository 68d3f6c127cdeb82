"""Two files that cannot be compared, and where the error says they differ."""

import gzip
import io

import pytest
from analysed_files import conllu, scored

from arclift.errors import InputError, UsageError
from arclift.evaluate import evaluate

ONE, TWO = "a 2 x\n b 0 root", "c 0 root\n d 1 y"
CONLLX = b"1\ta\t_\tN\tN\t_\t2\tx\t2\tx\n2\tb\t_\tN\tN\t_\t0\troot\t0\troot\n\n"


def _error(gold, system, **options):
    with pytest.raises(InputError) as caught:
        scored(gold, system, **options)
    return caught.value


def test_a_text_that_differs_is_shown_with_both_places():
    error = _error(conllu(ONE, TWO), conllu(ONE, TWO.replace("d 1", "e 1")))
    assert error.code == "text"
    assert "'e', in the gold file 'd'" in error.what
    assert (error.place.line, error.place.sentence) == (4, "2")
    assert "line 4" in error.hint


@pytest.mark.parametrize("gold_is_longer", [True, False])
def test_a_file_that_ends_early_is_named(gold_is_longer):
    long, short = conllu(ONE, TWO, ONE), conllu(ONE)
    error = _error(long, short) if gold_is_longer else _error(short, long)
    assert error.code == "sentences"
    assert f"the {'system' if gold_is_longer else 'gold'} file ends before" in error.what
    assert (error.place.line, error.place.sentence) == (4, "2")


@pytest.mark.parametrize("swapped", [True, False])
def test_a_file_that_ends_early_within_a_sentence_is_told_too(swapped):
    files = conllu(ONE, TWO), conllu(ONE, "c 0 root")
    error = _error(*reversed(files)) if swapped else _error(*files)
    assert error.code == "text"
    assert "the end of the file" in error.what


def test_formats_without_multiword_tokens_need_the_same_words():
    other = CONLLX.replace(b"\tb\t", b"\tbb\t")
    error = _error(CONLLX, other, format="conllx")
    assert error.code == "words"
    assert "word 2 is 'bb', in the gold file 'b'" in error.what
    longer = CONLLX[:-1] + b"3\tc\t_\tN\tN\t_\t2\tx\t2\tx\n\n"
    assert "3 words, in the gold file 2" in _error(CONLLX, longer, format="conllx").what


def test_the_first_sentence_that_differs_is_the_one_told():
    error = _error(CONLLX * 3, CONLLX * 2 + CONLLX.replace(b"\ta\t", b"\tA\t"), format="conllx")
    assert (error.place.line, error.place.sentence) == (7, "3")


def test_conllx_is_scored_without_the_scores_of_2018():
    found = scored(CONLLX, CONLLX, format="conllx")
    assert found.attachment.las == 1
    assert found.conll18 is None


def test_files_of_different_formats_are_refused():
    assert _error(conllu(ONE), CONLLX).code == "format"


def test_a_format_without_heads_is_refused():
    assert "has no heads" in _error(b"a\tX\nb\tY\n\n", b"a\tX\nb\tY\n\n", format="vertical").what


def test_empty_files_have_no_scores():
    with pytest.raises(UsageError, match="no sentences"):
        scored(b"", b"")


def test_a_sentence_that_breaks_the_format_is_an_error():
    assert _error(conllu(ONE), conllu(ONE).replace(b"\t2\tx", b"\t7\tx")).code == "head-range"


def test_packed_files_are_read(tmp_path):
    packed = tmp_path / "gold.conllu.gz"
    packed.write_bytes(gzip.compress(conllu(ONE, TWO)))
    assert evaluate(packed, io.BytesIO(conllu(ONE, TWO))).attachment.las == 1


def test_comments_and_empty_nodes_play_no_part():
    gold = conllu(ONE)
    system = b"# text = ab\n" + gold.replace(b"2\tb", b"1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb")
    assert scored(gold, system).attachment.las == 1
