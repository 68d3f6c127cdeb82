"""Strings as small integers, in order of first sight: the columns of a treebank as arrays."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from arclift.native import accelerated


@accelerated
class StringTable:
    """A growing list of distinct byte strings; the id of a string is its place in the list.

    Several threads may use one.
    """

    def __init__(self) -> None:
        self._strings: list[bytes] = []
        self._ids: dict[bytes, int] = {}
        self._lock = threading.Lock()

    def add(self, text: bytes) -> int:
        """Return the id of ``text``, which is entered if it is new."""
        with self._lock:
            known = self._ids.setdefault(text, len(self._strings))
            if known == len(self._strings):
                self._strings.append(text)
        return known

    def find(self, text: bytes) -> int:
        """Return the id of ``text``, -1 if it is not here."""
        return self._ids.get(text, -1)

    def add_spans(
        self, data: bytes, starts: NDArray[np.uint32], ends: NDArray[np.uint32]
    ) -> NDArray[np.int32]:
        """Return the ids of ``data[starts[i]:ends[i]]``, entering those that are new."""
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return np.array([self.add(data[a:b]) for a, b in spans], dtype=np.int32)

    def joined(self, first: int) -> tuple[bytes, NDArray[np.int64]]:
        """Return the strings from ``first`` on as one, and where each ends in it."""
        strings = self._strings[first:]
        return b"".join(strings), np.cumsum([len(each) for each in strings], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._strings)

    def __getitem__(self, index: int) -> bytes:
        if not 0 <= index < len(self._strings):
            raise IndexError("no such string")
        return self._strings[index]
