"""The rule language: what is printed, what is compiled, what is refused."""

from __future__ import annotations

import pytest

from arclift.errors import UsageError
from arclift.transitions import Configuration, make
from arclift.transitions.rules import Op, parse_rules

ATTARDI_2006 = """
shift: ⟨S, n|I, T, A⟩ → ⟨n|S, I, T, A⟩
right: ⟨s1|S, n|I, T, A⟩ → ⟨S, n|I, T, A ∪ (s1, r, n)⟩
left: ⟨s1|S, n|I, T, A⟩ → ⟨S, s1|I, T, A ∪ (n, r, s1)⟩
right2: ⟨s1|s2|S, n|I, T, A⟩ → ⟨s1|S, n|I, T, A ∪ (s2, r, n)⟩
left2: ⟨s1|s2|S, n|I, T, A⟩ → ⟨s2|S, s1|I, T, A ∪ (n, r, s2)⟩
right3: ⟨s1|s2|s3|S, n|I, T, A⟩ → ⟨s1|s2|S, n|I, T, A ∪ (s3, r, n)⟩
left3: ⟨s1|s2|s3|S, n|I, T, A⟩ → ⟨s2|s3|S, s1|I, T, A ∪ (n, r, s3)⟩
extract: ⟨s1|s2|S, n|I, T, A⟩ → ⟨n|s1|S, I, s2|T, A⟩
insert: ⟨S, I, s1|T, A⟩ → ⟨s1|S, I, T, A⟩
"""
PRINTED = {
    ("attardi",): ATTARDI_2006,
    ("attardi", "rewrite", 2007): ATTARDI_2006.replace(
        "⟨s1|S, n|I, T, A ∪ (s2, r, n)⟩", "⟨S, s1|n|I, T, A ∪ (s2, r, n)⟩"
    ).replace("⟨s1|s2|S, n|I, T, A ∪ (s3, r, n)⟩", "⟨S, s1|s2|n|I, T, A ∪ (s3, r, n)⟩"),
    ("yamada",): "\n".join(ATTARDI_2006.split("\n")[:4]),
    ("arc_standard",): """
shift: ⟨S, n|I, T, A⟩ → ⟨n|S, I, T, A⟩
left: ⟨s1|s2|S, I, T, A⟩ → ⟨s1|S, I, T, A ∪ (s2, r, s1)⟩  if s2 is not root
right: ⟨s1|s2|S, I, T, A⟩ → ⟨s2|S, I, T, A ∪ (s1, r, s2)⟩
""",
    ("swap",): """
shift: ⟨S, n|I, T, A⟩ → ⟨n|S, I, T, A⟩
left: ⟨s1|s2|S, I, T, A⟩ → ⟨s1|S, I, T, A ∪ (s2, r, s1)⟩  if s2 is not root
right: ⟨s1|s2|S, I, T, A⟩ → ⟨s2|S, I, T, A ∪ (s1, r, s2)⟩
swap: ⟨s1|s2|S, I, T, A⟩ → ⟨s1|S, s2|I, T, A⟩  if s2 before s1, s2 is not root
""",
    ("arc_eager",): """
shift: ⟨S, n|I, T, A⟩ → ⟨n|S, I, T, A⟩  if n is not root
left: ⟨s|S, n|I, T, A⟩ → ⟨S, n|I, T, A ∪ (s, r, n)⟩  if s is headless, s is not root
right: ⟨s|S, n|I, T, A⟩ → ⟨n|s|S, I, T, A ∪ (n, r, s)⟩  if n is not root
reduce: ⟨s|S, I, T, A⟩ → ⟨S, I, T, A⟩  if s has a head
""",
    ("arc_hybrid", "swap", True): """
shift: ⟨S, n|I, T, A⟩ → ⟨n|S, I, T, A⟩  if n is not root
left: ⟨s|S, n|I, T, A⟩ → ⟨S, n|I, T, A ∪ (s, r, n)⟩  if s is not root
right: ⟨s1|s2|S, I, T, A⟩ → ⟨s2|S, I, T, A ∪ (s1, r, s2)⟩
swap: ⟨s|S, n|I, T, A⟩ → ⟨S, n|s|I, T, A⟩  if s before n, s is not root
""",
    ("covington",): """
shift: ⟨S, n|I, T, A⟩ → ⟨n|T^R|S, I, (), A⟩
left: ⟨s|S, n|I, T, A⟩ → ⟨S, n|I, s|T, A ∪ (s, r, n)⟩  if s is headless, s is not root, no path s to n
right: ⟨s|S, n|I, T, A⟩ → ⟨S, n|I, s|T, A ∪ (n, r, s)⟩  if n is headless, no path n to s
no_arc: ⟨s|S, n|I, T, A⟩ → ⟨S, n|I, s|T, A⟩
""",
    ("covington", "projective", True): """
shift: ⟨S, n|I, T, A⟩ → ⟨n|T^R|S, I, (), A⟩
left: ⟨s|S, n|I, T, A⟩ → ⟨S, n|I, (), A ∪ (s, r, n)⟩  if s is headless, s is not root
right: ⟨s|S, n|I, T, A⟩ → ⟨n|s|S, I, (), A ∪ (n, r, s)⟩  if n is headless
no_arc: ⟨s|S, n|I, T, A⟩ → ⟨S, n|I, s|T, A⟩  if s has a head
""",
    ("planar2",): """
shift: ⟨S, n|I, T, A⟩ → ⟨n|S, I, n|T, A⟩
left: ⟨s|S, n|I, T, A⟩ → ⟨s|S, n|I, T, A ∪ (s, r, n)⟩  if s is headless, no path s to n
right: ⟨s|S, n|I, T, A⟩ → ⟨s|S, n|I, T, A ∪ (n, r, s)⟩  if n is headless, no path n to s
reduce: ⟨s|S, I, T, A⟩ → ⟨S, I, T, A⟩
switch: ⟨S, I, T, A⟩ → ⟨T, I, S, A⟩  if last was not switch
""",
}


@pytest.mark.parametrize("name", PRINTED, ids=str)
def test_rules_are_those_of_the_papers(name: tuple[object, ...]) -> None:
    settings = {str(name[1]): name[2]} if len(name) > 1 else {}
    system = make(str(name[0]), **settings)
    assert [str(rule) for rule in system.rules] == PRINTED[name].strip().split("\n")


def test_programs_are_rows_of_three_integers() -> None:
    (rule,) = parse_rules(["left2: s1 s2 | n | -> s2 | s1 | ; s2 > n ; n is headless"])
    assert rule.guard == (
        (Op.NEED, 0, 2), (Op.NEED, 1, 1), (Op.LOAD, 0, 0), (Op.LOAD, 0, 1), (Op.LOAD, 1, 0),
        (Op.HEADLESS, 2, 0),
    )  # fmt: skip
    assert rule.effect == ((Op.DROP, 0, 1), (Op.DROP, 1, 1), (Op.PUSH, 1, 0), (Op.ARC, 1, 2))
    program = rule.program()
    assert program.dtype == "int32"
    assert program.tolist() == [list(row) for row in (*rule.guard, *rule.effect)]


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("x: | n | T* -> n T^R | |", [[9], [2, 1], [4, 3]], [[9, 3, 4, 1], [2], []]),
        ("x: S* | | T* -> T* | | S*", [[9, 8], [2, 1], [4, 3]], [[4, 3], [2, 1], [9, 8]]),
        ("x: s S* | | T* -> T* | | s S*", [[9, 8], [2, 1], [4, 3]], [[4, 3], [2, 1], [9, 8]]),
        ("x: s | | T* -> s | |", [[9, 8], [2, 1], [4, 3]], [[9, 8], [2, 1], []]),
        ("x: s | n | t -> t n s | |", [[9, 8], [2, 1], [4, 3]], [[9, 8, 1, 3], [2], [4]]),
        ("x: a b | | -> b a | |", [[9, 8], [2], []], [[8, 9], [2], []]),
        ("x: a b c | | -> c | a | b", [[9, 8, 7], [2], []], [[9], [2, 7], [8]]),
    ],
)
def test_effects(rule: str, before: list[list[int]], after: list[list[int]]) -> None:
    (compiled,) = parse_rules([rule])
    configuration = Configuration(9, before[0], before[1])
    configuration.lists[2] = before[2]
    registers = configuration.registers(compiled)
    assert registers is not None
    configuration.rewrite(compiled.effect, registers, -1)
    assert configuration.lists == after


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["Shift: | | -> | |"], "no part of a rule\n  Shift: | | -> | |\n  ^"),
        (["shift | n | -> n | |"], "expected ':'\n  shift | n | -> n | |\n        ^"),
        (["shift: | n -> n | |"], "expected '|'\n  shift: | n -> n | |\n             ^"),
        (["x: | n | -> m | |"], "stands on the left\n  x: | n | -> m | |\n              ^"),
        (["x: a | a | -> | |"], "stands somewhere else already\n  x: a | a | -> | |\n         ^"),
        (["x: a | | -> | | ; a > a"], "own head\n  x: a | | -> | | ; a > a\n                        ^"),
        (["x: a | | -> | | ; ; a is green"], "expected 'is headless'"),
        (["x: a | | -> | | ; ; last was not y"], "no rule of this name stands before this one"),
        (["x: | | -> | |", "x: | | -> | |"], "there is a rule of this name already"),
        (["x: | | T* -> T* | |"], "whole lists can only be exchanged"),
        (["x: | | -> T^R | |"], "must stand on the left side"),
        (["x: | | T* -> T^R | T^R |"], "can go to one place only"),
        (["x: | | T* -> | | T^R"], "onto itself"),
        (["x: T* | | -> | |"], "expected S*, the rest of this list"),
        (["x: a | | -> | | ; a > b"], "no node of this name"),
        (["x: | | -> | | | "], "nothing more can follow"),
        (["x: | | -> | | ; ;"], "expected the name of a node"),
        (["x"], "expected ':'\n  x\n   ^"),
        ([""], "expected the name of the rule"),
    ],
)  # fmt: skip
def test_errors_point_at_the_place(rules: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_rules(rules)
    assert message in str(error.value)
