"""The scores of the CoNLL 2018 shared task: words aligned by characters, and what is compared on them."""

import unicodedata

import pytest
from analysed_files import REACHING_BACK, conllu, random_files, scored
from hypothesis import given, settings
from hypothesis import strategies as st

from arclift.errors import InputError
from arclift.evaluate import Policy, align, reading
from arclift.evaluate.align import SPACES


def _counts(found, *names):
    scores = found.conll18.scores
    return {name: (scores[name].correct, scores[name].gold, scores[name].system) for name in names}


# --- alignment ----------------------------------------------------------------------------------------------


def test_words_correspond_when_they_cover_the_same_characters():
    gold = conllu("New 2 amod\n York 0 root\n is 2 cop\n big 2 dep")
    system = conllu("NewYork 0 root\n is 1 cop\n b 1 dep\n ig 3 dep")
    found = scored(gold, system)
    assert _counts(found, "Tokens", "Sentences", "Words") == {
        "Tokens": (1, 4, 4),
        "Sentences": (1, 1, 1),
        "Words": (1, 4, 4),
    }
    assert found.attachment is None
    assert found.first_difference


def test_a_head_counts_if_it_corresponds_to_the_gold_head():
    gold = conllu("a 3 det\n b 3 amod\n c 0 root\n d 3 dep")
    system = conllu("ab 2 det\n c 0 root\n d 2 dep")
    assert _counts(scored(gold, system), "UAS", "LAS") == {"UAS": (2, 4, 3), "LAS": (2, 4, 3)}
    wrong = conllu("ab 0 root\n c 1 det\n d 1 dep")  # d hangs on a word that corresponds to none
    assert _counts(scored(gold, wrong), "UAS")["UAS"] == (0, 4, 3)


def test_spaces_within_forms_do_not_matter():
    gold = conllu("New␣York 0 root\n x 1 dep")
    system = conllu("NewYork 0 root\n x 1 dep")
    found = scored(gold, system)
    assert _counts(found, "Tokens", "Words", "LAS") == dict.fromkeys(("Tokens", "Words", "LAS"), (2, 2, 2))


def test_the_spaces_are_those_of_unicode_category_zs():
    assert [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Zs"] == list(SPACES)


def test_words_of_multiword_tokens_correspond_by_their_lowercased_forms():
    gold = conllu("1-3 dámelo\n da 0 root\n me 1 iobj\n lo 1 obj\n ya 1 advmod")
    system = conllu("1-2 dámelo\n Da 0 root\n lo 1 obj\n ya 1 advmod")
    found = scored(gold, system)
    assert _counts(found, "Tokens", "Words", "LAS") == {
        "Tokens": (2, 2, 2),
        "Words": (3, 4, 3),
        "LAS": (3, 4, 3),
    }


def test_where_two_subsequences_are_longest_a_gold_word_is_left_out_first():
    gold = conllu("1-2 ab\n x 0 root\n y 1 obj")
    system = conllu("1-2 ab\n y 0 root\n x 1 obj")
    scores = scored(gold, system).conll18.scores
    assert scores["Words"].correct == 1
    assert scores["LAS"].correct == 0  # y corresponds to y: gold x was left out
    assert scores["UAS"].correct == 0


def test_overlapping_multiword_tokens_make_one_region():
    gold = conllu("1-2 abc\n ab 0 root\n c 1 dep\n def 1 obj")
    system = conllu("ab 0 root\n 2-3 cdef\n c 1 dep\n def 1 obj")
    assert _counts(scored(gold, system), "Tokens", "Words") == {"Tokens": (0, 2, 2), "Words": (3, 3, 3)}


@pytest.mark.parametrize("chunk", [20, 1 << 18])
def test_the_region_of_a_multiword_token_can_reach_into_the_sentence_before(chunk, monkeypatch):
    monkeypatch.setattr("arclift.treebank.stream.CHUNK_BYTES", chunk)
    found = scored(*REACHING_BACK, format="conllu")
    # The walk comes to the token while b and c are still left over; gold b corresponds to the first b.
    assert _counts(found, "Sentences", "Words", "UAS") == {
        "Sentences": (2, 2, 2),
        "Words": (2, 3, 5),
        "UAS": (0, 3, 5),
    }


def test_sentences_are_divided_otherwise():
    gold = conllu("a 0 root\n b 1 dep", "c 0 root", "d 0 root")
    system = conllu("a 0 root\n b 1 dep\n c 1 dep", "d 0 root")
    found = scored(gold, system)
    assert _counts(found, "Sentences", "Words", "UAS") == {
        "Sentences": (1, 3, 2),
        "Words": (4, 4, 4),
        "UAS": (3, 4, 4),
    }


def test_a_multiword_token_of_two_sides_with_the_same_words_is_in_step():
    file = conllu("1-2 du\n de 2 case\n le 0 root")
    found = scored(file, file)
    assert found.first_difference is None
    assert _counts(found, "Tokens", "Words") == {"Tokens": (1, 1, 1), "Words": (2, 2, 2)}


@pytest.mark.parametrize(
    "system",
    [
        "de 2 case\n le 0 root",  # no multiword token
        "1-2 DU\n de 2 case\n le 0 root",
        "1-1 du\n de 2 case\n le 0 root",
    ],
)
def test_other_multiword_tokens_are_another_text(system):
    with pytest.raises(InputError, match=r"the text differs.*--ranges ignore"):
        scored(conllu("1-2 du\n de 2 case\n le 0 root"), conllu(system))


def test_multiword_tokens_can_be_ignored():
    gold, system = conllu("1-2 du\n de 2 case\n le 0 root"), conllu("de 2 case\n le 0 root")
    found = scored(gold, system, policy=Policy(ranges="ignore"))
    assert found.first_difference is None
    assert _counts(found, "Tokens", "Words", "LAS") == dict.fromkeys(("Tokens", "Words", "LAS"), (2, 2, 2))


def test_multiword_tokens_that_differ_in_other_columns_are_the_same():
    gold = conllu("1-2 du\n de 2 case\n le 0 root")
    system = gold.replace(b"du\t_\t_\t_\t_\t_\t_\t_\t_", b"du\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No")
    assert system != gold
    assert scored(gold, system).first_difference is None


def test_a_region_too_large_to_compare_is_refused(monkeypatch):
    monkeypatch.setattr(align, "MAX_REGION", 3)
    gold, system = conllu("1-2 ab\n x 0 root\n y 1 obj"), conllu("1-2 ab\n x 0 root\n z 1 obj")
    with pytest.raises(InputError, match="too long to align"):
        scored(gold, system)


# --- what is compared ---------------------------------------------------------------------------------------

GOLD = "the 2 det DET Definite=Def the\n dogs 3 nsubj NOUN Number=Plur|Case=Nom dog\n ran 0 root VERB _ run"


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (("3 nsubj", "3 obj"), "LAS CLAS MLAS BLEX"),
        (("3 nsubj", "3 nsubj:pass"), ""),
        (("3 nsubj", "1 nsubj"), "UAS LAS CLAS MLAS BLEX"),
        (("NOUN", "PROPN"), "UPOS AllTags MLAS"),
        (("Number=Plur|Case=Nom", "Case=Nom|Number=Plur"), ""),
        (("Number=Plur|Case=Nom", "Number=Plur|Case=Nom|Typo=Yes"), ""),
        (("Number=Plur|Case=Nom", "Number=Plur"), "UFeats AllTags MLAS"),
        ((" dog\n", " hound\n"), "Lemmas BLEX"),
        (("DET", "PRON"), "UPOS AllTags MLAS"),  # the determiner is a functional dependent of dogs
        (("2 det", "2 amod"), "LAS MLAS"),
        (("2 det", "3 det"), "UAS LAS MLAS"),
    ],
)
def test_one_difference_spoils_the_scores_that_look_at_it(change, wrong):
    system = GOLD.replace(*change)
    assert system != GOLD
    scores = scored(conllu(GOLD), conllu(system)).conll18.scores
    spoilt = {name for name, one in scores.items() if one.correct != one.gold}
    assert spoilt == set(wrong.split())


def test_clas_takes_content_words_of_the_gold_file_for_recall_and_of_the_system_for_precision():
    score = scored(conllu(GOLD), conllu(GOLD.replace("2 det", "2 amod"))).conll18.scores["CLAS"]
    assert (score.correct, score.gold, score.system, score.aligned) == (2, 2, 3, 2)
    assert (score.recall, score.precision, score.f1, score.accuracy) == (1, 2 / 3, 4 / 5, 1)


def test_any_lemma_is_right_where_the_gold_file_has_none():
    gold = GOLD.replace(" dog\n", " _\n")
    assert scored(conllu(gold), conllu(GOLD)).conll18.scores["Lemmas"].correct == 3
    assert scored(conllu(GOLD), conllu(gold)).conll18.scores["Lemmas"].correct == 2


@pytest.mark.parametrize(
    ("tree", "what"),
    [
        ("a 2 x\n b 1 y\n c 0 root", "cycle"),
        ("a 0 x\n b 0 y\n c 2 z", "attached to the root"),
        ("a _ x\n b 0 y\n c 2 z", "no head"),
    ],
)
def test_official_refuses_what_the_program_refuses(tree, what):
    good, bad = conllu("a 2 x\n b 0 root\n c 2 z"), conllu(tree)
    assert scored(good, bad).words == 3
    for files in ((good, bad), (bad, good)):
        with pytest.raises(InputError, match=what):
            scored(*files, official=True)


# --- every road leads to the same scores --------------------------------------------------------------------


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_files_in_step_score_as_if_they_were_aligned(seed):
    gold, system = random_files(seed, often=0)
    fast = scored(gold, system)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_sentences_in_step", lambda a, b: 0)
        slow = scored(gold, system)
    assert fast.first_difference is None
    assert slow.first_difference is not None
    assert fast.conll18 == slow.conll18


@given(st.integers(0, 10**6), st.integers(1, 300))
@settings(max_examples=40, deadline=None)
def test_scores_do_not_depend_on_how_the_files_are_cut(seed, chunk):
    gold, system = random_files(seed)
    whole = scored(gold, system, format="conllu")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arclift.treebank.stream.CHUNK_BYTES", chunk)
        pieces = scored(gold, system, format="conllu")
    assert whole.conll18 == pieces.conll18
