"""What a transition system is: rules, where it starts and ends, a bound, and oracles.

A system is a frozen dataclass; its fields are its settings. All that runs it is in the base class:

- ``start(n)`` gives the configuration of a sentence of n words; it ends where no list is longer than
  ``final`` says;
- ``permitted``, ``apply``: transitions by number, the place of the rule in ``rules``. In every configuration
  that is not final something is permitted;
- ``bound(n)``: no sequence of permitted transitions from ``start(n)`` is longer;
- ``oracle(gold)`` gives a function that says which transition to take next. It rebuilds every tree that the
  system ``covers``, and for any other tree ends in a forest with as many of the arcs as the oracle can get;
- ``costs(configuration, gold)``, where ``dynamic``: how many gold arcs each permitted transition puts out of
  reach (-1: not permitted).

Where the root is: ``none``, and the words that are headless at the end are roots; ``first``, node 0 is on the
stack; ``last``, node 0 is behind the last word (Ballesteros & Nivre 2013).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar, Literal

from arclift.errors import UsageError
from arclift.transitions.configuration import Configuration
from arclift.transitions.gold import Gold
from arclift.transitions.rules import Rule, parse_rules

Root = Literal["none", "first", "last"]
Sizes = tuple[int, int, int]
Oracle = Callable[[Configuration], int]
NOT_PERMITTED = -1


class System(ABC):
    """The contract of all systems."""

    name: ClassVar[str]
    dynamic: ClassVar[bool] = False

    @property
    @abstractmethod
    def root(self) -> Root:
        """Where node 0 is."""

    @abstractmethod
    def texts(self) -> tuple[str, ...]:
        """Return the rules as written, see ``arclift.transitions.rules``."""

    @abstractmethod
    def bound(self, words: int) -> int:
        """Return a number of transitions that no run exceeds."""

    @property
    @abstractmethod
    def final(self) -> Sizes:
        """Return how many nodes S, I and T may have at the end, -1 for any number."""

    @abstractmethod
    def oracle(self, gold: Gold) -> Oracle:
        """Return the static oracle for one tree: configuration in, number of a transition out."""

    @abstractmethod
    def covers(self, heads: list[int]) -> bool:
        """Return whether the tree (heads of the words 1..n) is in the class that the oracle rebuilds."""

    def costs(self, configuration: Configuration, gold: Gold) -> list[int]:
        """Return the cost of each transition, -1 where it is not permitted."""
        raise UsageError(f"{self.name} has no dynamic oracle")

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules; a transition is the number of one."""
        return parse_rules(self.texts())

    @cached_property
    def number(self) -> dict[str, int]:
        """The numbers of the rules by name."""
        return {rule.name: number for number, rule in enumerate(self.rules)}

    def start(self, words: int) -> Configuration:
        """Return the first configuration of a sentence."""
        stack = [0] if self.root == "first" else []
        behind = [0] if self.root == "last" else []
        return Configuration(words, stack, [*behind, *range(words, 0, -1)])

    def is_final(self, configuration: Configuration) -> bool:
        """Return whether the sentence is done."""
        stack, input, second = self.final
        lists = configuration.lists
        return (
            (input < 0 or len(lists[1]) <= input)
            and (stack < 0 or len(lists[0]) <= stack)
            and (second < 0 or len(lists[2]) <= second)
        )

    def permitted(self, configuration: Configuration) -> list[int]:
        """Return the numbers of the permitted transitions, none where the configuration is final."""
        if self.is_final(configuration):
            return []
        return [i for i, rule in enumerate(self.rules) if configuration.registers(rule) is not None]

    def arc(self, configuration: Configuration, transition: int) -> tuple[int, int] | None:
        """Return head and dependent of the arc that a permitted transition adds, None if it adds none."""
        rule = self.rules[transition]
        places = rule.arc_registers
        if places is None:
            return None
        registers = configuration.registers(rule)
        return (registers[places[0]], registers[places[1]]) if registers is not None else None

    def apply(self, configuration: Configuration, transition: int, label: int = -1) -> None:
        """Take a transition; ``UsageError`` if it is not permitted."""
        self._apply(configuration, transition, lambda _: label)

    def follow(self, configuration: Configuration, transition: int, gold: Gold) -> None:
        """Take a transition; an arc gets the label that its dependent has in the gold tree."""
        self._apply(configuration, transition, gold.label.__getitem__)

    def _apply(self, configuration: Configuration, transition: int, label_of: Callable[[int], int]) -> None:
        rule = self.rules[transition]
        registers = configuration.registers(rule)
        if registers is None:
            raise UsageError(f"{self.name} does not permit {rule.name} here")
        arc = rule.arc_registers
        configuration.rewrite(rule.effect, registers, label_of(registers[arc[1]]) if arc else -1)
        configuration.history.append(transition)

    def heads(self, configuration: Configuration) -> list[int]:
        """Return the heads of the words; without one they have 0 if root is none, else -1."""
        headless = 0 if self.root == "none" else -1
        return [headless if head < 0 else head for head in configuration.head[1:]]

    def run(self, gold: Gold) -> Configuration:
        """Follow the static oracle to the end and return the final configuration."""
        configuration = self.start(gold.words)
        oracle = self.oracle(gold)
        while not self.is_final(configuration):
            self.follow(configuration, oracle(configuration), gold)
        return configuration
