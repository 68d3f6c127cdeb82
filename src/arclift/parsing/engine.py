"""What runs a parser: a transition system, a feature program, classes and a learner, as integer tables.

``decode`` is greedy: in each configuration the permitted class with the highest score is taken, the first of
equals; ``walk`` does the same and returns the classes taken. ``replay`` goes along given transitions and
returns the rows of value ids that a learner learns from.

``beam`` keeps several hypotheses. The score of a class is the logarithm of its softmax over the permitted
classes, that of a hypothesis the sum over the classes it has taken (its log-probability, for a learner whose
scores are logits). In each step every hypothesis that is not done goes on by all its permitted classes, and
the ``width`` best of all, done or not, are kept; it ends when all that are kept are done. Among equals the
offspring of the better hypothesis comes first, then the class with the higher score, then the first class; so
a beam of width 1 is greedy. Runs of different length are compared as they are. A step costs O(n) for each
hypothesis whose state is copied; the last offspring of each takes its state over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arclift.features import Program
from arclift.features.evaluator import row
from arclift.features.program import DISTANCES, GREATEST_VALENCY
from arclift.learners import Learner, Scorer
from arclift.native import accelerated
from arclift.transitions.configuration import Configuration
from arclift.transitions.rules import Front, Rule
from arclift.transitions.system import System
from arclift.trees.structure import Offsets

Ints = NDArray[np.int32]
Doubles = NDArray[np.float64]
GREATEST_LABEL = 1 << 30
"""So that the value of a label has room in 32 bits."""


class Hypothesis(NamedTuple):
    """A configuration of a beam, the sum of the scores that led to it, and whether nothing can follow."""

    state: Configuration
    total: float
    done: bool = False


class Beams(NamedTuple):
    """The best trees of each sentence, the best first; where there are not so many the total is -inf."""

    heads: Ints
    """[trees, words], -1 where a word is headless or there is no such tree."""
    labels: Ints
    totals: NDArray[np.float64]
    """[trees, sentences]"""


@accelerated
class Machine:
    """A transition system, features and classes, ready to run; it never changes.

    ``rows`` and ``bounds`` are op-codes: the guard of rule r is ``rows[bounds[2 * r] : bounds[2 * r + 1]]``
    and its effect goes on to ``bounds[2 * r + 2]``. ``root`` is 0 for none, 1 for first, 2 for last;
    ``final`` says how long the lists S, I and T may be at the end, -1 for any length.
    """

    def __init__(
        self,
        rows: Ints,
        bounds: list[int],
        root: int,
        final: list[int],
        nodes: Ints,
        cells: Ints,
        distances: list[int],
        greatest_valency: int,
        transitions: Ints,
        labels: Ints,
    ) -> None:
        if (tuple(distances), greatest_valency) != (DISTANCES, GREATEST_VALENCY):
            raise ValueError("the plain evaluator has classes of distance and valency of its own")
        program = [(op, a, b) for op, a, b in rows.tolist()]
        parts = [tuple(program[a:b]) for a, b in pairwise(bounds)]
        nowhere = (Front(()),) * 3
        self._rules = [
            Rule("", nowhere, nowhere, None, (), guard, effect)
            for guard, effect in zip(parts[::2], parts[1::2], strict=True)
        ]
        self._root, self._final = root, final
        self._program = Program(nodes, cells, (), (), ())
        if len(transitions) != len(labels) or not np.isin(transitions, range(len(self._rules))).all():
            raise ValueError("no such transition, or not a label for each")
        if labels.max(initial=0) > GREATEST_LABEL:
            raise ValueError("a label is out of range")
        self._transitions, self._labels = transitions, labels

    def decode(self, scorer: Scorer, words: Ints, offsets: Offsets, limits: Offsets) -> tuple[Ints, Ints]:
        """Return head and label of every word, -1 for none; ``limits`` bounds the transitions."""
        heads: list[int] = []
        labels: list[int] = []
        for (begin, end), limit in zip(pairwise(offsets.tolist()), limits.tolist(), strict=True):
            state = self._start(end - begin)
            for best in self._greedy(scorer, state, words[begin:end], limit):
                self._take(state, best)
            heads += state.head[1:]
            labels += state.label[1:]
        return np.array(heads, dtype=np.int32), np.array(labels, dtype=np.int32)

    def walk(self, scorer: Scorer, words: Ints, offsets: Offsets, limits: Offsets) -> tuple[Ints, Offsets]:
        """Return the classes that ``decode`` takes, and where those of each sentence begin."""
        taken: list[int] = []
        begins = [0]
        for (begin, end), limit in zip(pairwise(offsets.tolist()), limits.tolist(), strict=True):
            state = self._start(end - begin)
            for best in self._greedy(scorer, state, words[begin:end], limit):
                taken.append(best)
                self._take(state, best)
            begins.append(len(taken))
        return np.array(taken, dtype=np.int32), np.array(begins, dtype=np.int64)

    def beam(
        self, scorer: Scorer, words: Ints, offsets: Offsets, limits: Offsets, width: int, best: int
    ) -> tuple[Ints, Ints, NDArray[np.float64]]:
        """Return up to ``best`` different trees of each sentence, as ``Beams`` has them."""
        if not 1 <= best <= width:
            raise ValueError("a beam has a width of 1 or more, and not more trees come out")
        heads = np.full((best, len(words)), -1, dtype=np.int32)
        labels = np.full((best, len(words)), -1, dtype=np.int32)
        totals = np.full((best, len(limits)), -inf)
        sentences = zip(pairwise(offsets.tolist()), limits.tolist(), strict=True)
        for sentence, ((begin, end), limit) in enumerate(sentences):
            found: dict[tuple[int, ...], Hypothesis] = {}
            for each in self._search(scorer, words[begin:end], limit, width):
                found.setdefault((*each.state.head, *each.state.label), each)
            for place, each in enumerate(list(found.values())[:best]):
                heads[place, begin:end], labels[place, begin:end] = each.state.head[1:], each.state.label[1:]
                totals[place, sentence] = each.total
        return heads, labels, totals

    def replay(
        self, transitions: Ints, labels: Ints, steps: Offsets, words: Ints, offsets: Offsets
    ) -> tuple[Ints, NDArray[np.uint32]]:
        """Return the row before each of the transitions, and what is permitted there as bits."""
        if labels.max(initial=0) > GREATEST_LABEL:
            raise ValueError("a label is out of range")
        table: list[list[int]] = []
        masks: list[int] = []
        sentences = zip(pairwise(offsets.tolist()), pairwise(steps.tolist()), strict=True)
        for (begin, end), (first, last) in sentences:
            state = self._start(end - begin)
            for step in range(first, last):
                table.append(row(self._program, state, words[begin:end]))
                masks.append(sum(1 << transition for transition in self._permitted(state)))
                self._apply(state, int(transitions[step]), int(labels[step]))
        rows = np.array(table, dtype=np.int32).reshape(len(table), len(self._program.cells))
        return rows, np.array(masks, dtype=np.uint32)

    def _greedy(self, scorer: Scorer, state: Configuration, words: Ints, limit: int) -> Iterator[int]:
        """Yield the best permitted class of each state that the caller brings about by taking it."""
        for _ in range(limit):
            if self._is_final(state):
                return
            permitted = self._permitted_classes(state)
            if not len(permitted):
                return  # nothing the learner has seen is permitted: what is left stays headless
            yield int(permitted[np.argmax(self._scores(scorer, state, words)[permitted])])

    def _search(self, scorer: Scorer, words: Ints, limit: int, width: int) -> list[Hypothesis]:
        """Return the hypotheses of one sentence that are left at the end, the best first."""
        beam = [Hypothesis(self._start(len(words)), 0.0)]
        for _ in range(limit):
            ways = [
                ([], []) if each.done or self._is_final(each.state) else self._ways(scorer, each.state, words)
                for each in beam
            ]
            if not any(classes for classes, _ in ways):
                break
            candidates = [
                (-(each.total + gain), parent, -score, chosen)
                for parent, (each, (classes, gains)) in enumerate(zip(beam, ways, strict=True))
                for chosen, (score, gain) in zip(classes or [-1], gains or [(0.0, 0.0)], strict=True)
            ]
            beam = [
                self._offspring(beam[parent], -total, chosen)
                for total, parent, _, chosen in sorted(candidates)[:width]
            ]
        return beam

    def _ways(
        self, scorer: Scorer, state: Configuration, words: Ints
    ) -> tuple[list[int], list[tuple[float, float]]]:
        """Return the permitted classes, and of each the score and the logarithm of the softmax."""
        classes = self._permitted_classes(state).tolist()
        if not classes:
            return [], []
        scores = self._scores(scorer, state, words)[classes].tolist()
        most = max(scores)
        total = 0.0
        for score in scores:  # one by one, as the compiled loop adds them
            total += exp(score - most)
        everything = most + log(total)
        return classes, [(score, score - everything) for score in scores]

    def _offspring(self, parent: Hypothesis, total: float, chosen: int) -> Hypothesis:
        if chosen < 0:
            return parent._replace(done=True)
        state = parent.state.copy()
        self._take(state, chosen)
        return Hypothesis(state, total)

    def _scores(self, scorer: Scorer, state: Configuration, words: Ints) -> NDArray[np.float32]:
        values = np.array([row(self._program, state, words)], dtype=np.int32)
        scores: NDArray[np.float32] = scorer.scores(values)[0]
        return scores

    def _permitted_classes(self, state: Configuration) -> NDArray[np.intp]:
        return np.flatnonzero(np.isin(self._transitions, self._permitted(state)))

    def _take(self, state: Configuration, chosen: int) -> None:
        self._apply(state, int(self._transitions[chosen]), int(self._labels[chosen]))

    def _start(self, words: int) -> Configuration:
        stack = [0] if self._root == 1 else []
        behind = [0] if self._root == 2 else []
        return Configuration(words, stack, [*behind, *range(words, 0, -1)])

    def _is_final(self, state: Configuration) -> bool:
        return all(
            most < 0 or len(nodes) <= most for nodes, most in zip(state.lists, self._final, strict=True)
        )

    def _permitted(self, state: Configuration) -> list[int]:
        return [number for number, rule in enumerate(self._rules) if state.registers(rule) is not None]

    def _apply(self, state: Configuration, transition: int, label: int) -> None:
        registers = state.registers(self._rules[transition])
        if registers is None:
            raise ValueError("a transition that is not permitted")
        state.rewrite(self._rules[transition].effect, registers, label)
        state.history.append(transition)


@dataclass(frozen=True, eq=False)
class Engine:
    """What the loops need of a parser; class c is the transition ``transitions[c]`` with a label."""

    system: System
    program: Program
    transitions: Ints
    labels: Ints

    @cached_property
    def machine(self) -> Machine:
        """What runs them."""
        rows: list[tuple[int, int, int]] = []
        bounds = [0]
        for rule in self.system.rules:
            bounds.append(len(rows) + len(rule.guard))
            rows += [*rule.guard, *rule.effect]
            bounds.append(len(rows))
        return Machine(
            np.array(rows, dtype=np.int32),
            bounds,
            ("none", "first", "last").index(self.system.root),
            list(self.system.final),
            self.program.nodes,
            self.program.cells,
            list(DISTANCES),
            GREATEST_VALENCY,
            self.transitions,
            self.labels,
        )

    def check(self, learner: Learner) -> None:
        """Raise ``ValueError`` where the parts do not fit each other."""
        if (len(learner.sizes), learner.classes) != (len(self.program.cells), len(self.transitions)):
            raise ValueError("the learner is made for other features or classes")
        none, begin = np.zeros((0, len(self.program.words)), dtype=np.int32), np.zeros(1, dtype=np.int64)
        self.decode(learner, none, begin)

    def decode(self, learner: Learner, words: Ints, offsets: Offsets) -> tuple[Ints, Ints]:
        """Return heads and labels (-1 for none) of every word; -1 as a head is a word left headless."""
        return self.machine.decode(learner.scorer, words, offsets, self._limits(offsets))

    def walk(self, learner: Learner, words: Ints, offsets: Offsets) -> tuple[Ints, Offsets]:
        """Return the classes that ``decode`` takes, and where those of each sentence begin."""
        return self.machine.walk(learner.scorer, words, offsets, self._limits(offsets))

    def log_odds(self, learner: Learner, words: Ints, offsets: Offsets) -> tuple[Doubles, Doubles]:
        """Return for each word the odds for the transition that attached it, and for that with its label.

        Logarithms of the odds against all else that was permitted, by softmax, in the course that ``decode``
        takes; 0 (even odds) where there was no choice, and for a word that no transition has attached. The
        course is gone through in plain Python.
        """
        taken, begins = self.walk(learner, words, offsets)
        transitions = self.transitions[taken]
        rows, masks = self.machine.replay(transitions, self.labels[taken], begins, words, offsets)
        permitted = (masks[:, None] >> self.transitions[None, :].astype(np.uint32) & 1).astype(np.bool_)
        scores = learner.scorer.scores(rows).astype(np.float64)
        of_transitions = _odds(scores, self.transitions[None, :] == transitions[:, None], permitted)
        of_classes = _odds(scores, np.arange(len(self.transitions))[None, :] == taken[:, None], permitted)
        of_heads, of_labels = np.zeros(len(words)), np.zeros(len(words))
        for (begin, end), steps in zip(pairwise(offsets.tolist()), pairwise(begins.tolist()), strict=True):
            state = self.system.start(end - begin)
            for step in range(*steps):
                transition = int(transitions[step])
                if arc := self.system.arc(state, transition):
                    of_heads[begin + arc[1] - 1] = of_transitions[step]
                    of_labels[begin + arc[1] - 1] = of_classes[step]
                self.system.apply(state, transition)
        return of_heads, of_labels

    def decode_beam(self, learner: Learner, words: Ints, offsets: Offsets, width: int, best: int) -> Beams:
        """Return up to ``best`` different trees of each sentence, found by a beam of this width.

        The score of a tree is the sum, over the transitions that build it, of the logarithm of the softmax
        over the permitted classes; see the module. Width 1 gives what ``decode`` gives.
        """
        return Beams(*self.machine.beam(learner.scorer, words, offsets, self._limits(offsets), width, best))

    def _limits(self, offsets: Offsets) -> Offsets:
        return np.array([self.system.bound(n) for n in np.diff(offsets).tolist()], dtype=np.int64)


def _odds(scores: Doubles, chosen: NDArray[np.bool_], permitted: NDArray[np.bool_]) -> Doubles:
    """Return the logarithm of the odds of the chosen columns against the others that are permitted."""
    of_chosen = np.logaddexp.reduce(np.where(chosen & permitted, scores, -np.inf), axis=1)
    of_others = np.logaddexp.reduce(np.where(~chosen & permitted, scores, -np.inf), axis=1)
    choice = of_others > -np.inf
    odds: Doubles = np.where(choice, of_chosen - np.where(choice, of_others, 0.0), 0.0)
    return odds
