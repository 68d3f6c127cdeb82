"""Attachment scores, exact match, and which words they look at."""

import unicodedata

import pytest
from analysed_files import conllu, scored

from arclift.errors import InputError, UsageError
from arclift.evaluate import Policy, conllx
from arclift.evaluate.policy import is_punctuation

GOLD = conllu(
    "A 2 det DET\n cat 3 nsubj:pass NOUN\n sleeps 0 root VERB\n . 3 punct PUNCT",
    "Stop 0 root VERB\n $ 1 dep SYM\n _ 1 dep X\n … 1 P X",
    "! 0 root PUNCT",
)
SYSTEM = conllu(
    "A 3 det DET\n cat 3 nsubj NOUN\n sleeps 0 root VERB\n . 3 punct PUNCT",
    "Stop 0 root VERB\n $ 1 obj SYM\n _ 2 dep X\n … 1 P X",
    "! 0 root PUNCT",
)


@pytest.mark.parametrize(
    ("policy", "words", "heads", "labels", "both", "exact"),
    [
        (Policy(), 9, 7, 7, 5, (1, 1, 3)),
        (Policy("all", "cut"), 9, 7, 8, 6, (1, 1, 3)),
        # Symbols count, the underscore is punctuation; a sentence of punctuation only is left out.
        (Policy("conllx"), 5, 4, 3, 2, (1, 0, 2)),
        (Policy("upos"), 7, 5, 5, 3, (0, 0, 2)),
        (Policy("label"), 7, 5, 5, 3, (1, 1, 3)),
        (Policy("conllx", "cut"), 5, 4, 4, 3, (1, 0, 2)),
    ],
)
def test_scores_under_each_policy(policy, words, heads, labels, both, exact):
    found = scored(GOLD, SYSTEM, policy=policy).attachment
    assert (found.words, found.heads, found.labels, found.both) == (words, heads, labels, both)
    assert (found.exact_heads, found.exact, found.sentences) == exact
    assert found.uas == heads / words
    assert found.las == both / words
    assert found.label_accuracy == labels / words
    assert found.exact_match_unlabelled == exact[0] / exact[2]
    assert found.exact_match_labelled == exact[1] / exact[2]


def test_eval_pl_leaves_punctuation_out_whatever_the_policy_is():
    found = scored(GOLD, SYSTEM)
    assert conllx.summary(found.conllx) == [
        "  Labeled   attachment score: 2 / 5 * 100 = 40.00 %",
        "  Unlabeled attachment score: 4 / 5 * 100 = 80.00 %",
        "  Label accuracy score:       3 / 5 * 100 = 60.00 %",
    ]


def test_eval_pl_rounds_what_the_errors_leave_of_a_hundred():
    assert f"{conllx.percent(1, 20_000):.2f}" == "0.00" != f"{100 * 1 / 20_000:.2f}"
    assert conllx.percent(0, 0) == 0


@pytest.mark.parametrize("punctuation", ["all", "conllx", "upos", "label"])
def test_a_perfect_system_has_perfect_scores(punctuation):
    found = scored(GOLD, GOLD, policy=Policy(punctuation))
    assert found.attachment.las == found.attachment.exact_match_labelled == 1
    assert all(score.f1 == 1 for score in found.conll18.scores.values())


def test_words_without_a_gold_head_are_not_scored():
    gold = conllu("A 2 det\n cat _ _\n sleeps 0 root")
    found = scored(gold, conllu("A 2 det\n cat _ _\n sleeps 1 root"))
    assert (found.attachment.words, found.attachment.heads, found.without_gold_head) == (2, 1, 1)


def test_a_gold_file_without_any_head_is_refused():
    file = conllu("A _ _\n cat _ _")
    with pytest.raises(InputError, match="no heads"):
        scored(file, file)


def test_a_head_the_system_left_out_is_wrong():
    found = scored(conllu("A 2 det\n cat 0 root"), conllu("A _ det\n cat 0 root"))
    assert (found.attachment.heads, found.attachment.labels) == (1, 2)
    assert found.conll18.scores["UAS"].correct == 1


def test_punctuation_is_what_unicode_says_of_every_character():
    assert is_punctuation("…")
    assert is_punctuation("_-")
    assert is_punctuation("»。")
    assert not any(map(is_punctuation, ("", "$", "+", "a.", ".a", "^", "«x»", "\u0301")))


def test_the_fast_test_for_punctuation_agrees_with_unicode_on_every_first_character():
    wanted = [
        chr(code) for code in range(0x21, 0x110000, 7) if unicodedata.category(chr(code)) not in ("Cs", "Zs")
    ]
    rows = "\n".join(
        f"{form} 0 root" for form in wanted[:40_000:11] + [chr(c) for c in range(0x2010, 0x2028)]
    )
    forms = rows.replace(" 0 root", "").splitlines()
    file = conllu(*(f"{form} 0 root" for form in forms if not form.isspace()))
    found = scored(file, file, policy=Policy("conllx"))
    counted = [form for form in forms if not form.isspace() and not is_punctuation(form)]
    assert found.attachment.words == len(counted) < len(forms)


def test_policies_that_do_not_exist_are_refused():
    with pytest.raises(UsageError, match="punctuation is one of all, conllx"):
        Policy("none")
    with pytest.raises(UsageError, match="subtypes is keep or cut"):
        Policy("all", "maybe")
    with pytest.raises(UsageError, match="ranges is align or ignore"):
        Policy("all", "keep", "drop")


def test_a_policy_says_what_it_does():
    assert str(Policy()) == "all words, labels in full"
    assert str(Policy("upos", "cut")) == (
        "without words tagged PUNCT in the gold file, labels up to the first colon"
    )
