"""Sentences of different lengths side by side, one word of each at a time.

A *packed* batch has its sentences in order of falling length, and its words by their place: first the first
word of every sentence, then the second word of those that have one, and so on. The words of one place stand
next to each other, and the sentences that go on are always the first ones, so that a recurrent network takes
a step of all of them at once without any padding.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


class Packed:
    """The order of the words of a batch.

    Attributes:
        lengths: the lengths of the sentences, from the longest to the shortest.
        sizes: how many sentences have a word at each place.
        begins: where each place begins, with the number of all words behind.
        words: for each word of the packed order its number in the batch, sentence after sentence as given.
        sentence: the sentence of each word, as a place in ``lengths``.
        place: the place of each word in its sentence, from 0.

    """

    def __init__(self, lengths: NDArray[np.integer]) -> None:
        given = np.asarray(lengths, dtype=np.int64)
        order = np.argsort(-given, kind="stable")
        self.lengths = given[order]
        longest = int(self.lengths[0]) if len(given) else 0
        self.sizes = np.searchsorted(-self.lengths, -np.arange(longest), side="left")
        self.begins = np.append(0, np.cumsum(self.sizes))
        self.place = np.repeat(np.arange(longest), self.sizes)
        self.sentence = np.arange(len(self.place)) - self.begins[self.place]
        starts = np.append(0, np.cumsum(given))[order]
        self.words: Index = starts[self.sentence] + self.place

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def mirror(self) -> Index:
        """Where the word stands that is as far from the end of its sentence as this one from the start."""
        places: Index = self.begins[self.lengths[self.sentence] - 1 - self.place] + self.sentence
        return places

    @cached_property
    def previous(self) -> Index:
        """Where the previous word of each sentence stands, for all words but the first ones."""
        first = int(self.sizes[0]) if len(self.sizes) else 0
        places: Index = self.begins[self.place[first:] - 1] + self.sentence[first:]
        return places

    @cached_property
    def padded(self) -> Index:
        """The word at each place of each sentence, [sentences, longest], -1 where there is none."""
        table = np.full((len(self.lengths), len(self.sizes)), -1, dtype=np.int64)
        table[self.sentence, self.place] = np.arange(len(self))
        return table
