"""Sentences and words as light views of a `Block`: they hold no text of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arclift.errors import UsageError
from arclift.treebank.scan import Extra

if TYPE_CHECKING:
    from arclift.treebank.block import Block


class Sentence:
    """One sentence: its words, its tree and everything else that stands with it in the file.

    ``len(sentence)`` counts syntactic words. A sentence is never changed: `replace` gives a new one, and
    ``bytes(sentence)`` is its text as it will be written.
    """

    __slots__ = ("_block", "_index")

    def __init__(self, block: Block, index: int) -> None:
        self._block = block
        self._index = index

    def _words(self) -> slice:
        return slice(*self._block.offsets[self._index : self._index + 2].tolist())

    def __len__(self) -> int:
        words = self._words()
        return int(words.stop - words.start)

    def __bytes__(self) -> bytes:
        begin, end = self._block.starts[self._index : self._index + 2].tolist()
        return self._block.data[begin:end]

    def __repr__(self) -> str:
        return (
            f"<Sentence {self.id or self.number}: {' '.join(self.forms[:8])}{' …' if len(self) > 8 else ''}>"
        )

    # -- columns --------------------------------------------------------------------------------------

    def column(self, name: str) -> list[str]:
        """Return the texts of one column, ``_`` where the file says so."""
        block = self._block
        place = block.format.column(name)
        if place < 0:
            raise UsageError(f"the format {block.format.name} has no column {name!r}")
        rows = block.fields[self._words(), place : place + 2].tolist()
        return [block.data[a : max(a, b - 1)].decode() for a, b in rows]

    @property
    def heads(self) -> NDArray[np.int32]:
        """The head of each word, as the number of a word; 0 for a root, -1 for none given."""
        if self._block.format.head_column < 0:
            return np.full(len(self), -1, dtype=np.int32)
        heads = self._block.heads[self._words()]
        heads.flags.writeable = False
        return heads

    @property
    def labels(self) -> list[str]:
        """The relation of each word to its head."""
        return self.column("deprel")

    @property
    def forms(self) -> list[str]:
        """The words as written."""
        return self.column("form")

    @property
    def tokens(self) -> _Tokens:
        """The words in order; ``sentence.tokens[0].id`` is 1."""
        return _Tokens(self)

    # -- what stands around the words -------------------------------------------------------------------

    @property
    def comments(self) -> list[str]:
        """The comment lines, each with its ``#``."""
        return [row.decode() for row in self._block.extra_rows(self._index, Extra.COMMENT)]

    @property
    def metadata(self) -> dict[str, str]:
        """The comments of the form ``# key = value``."""
        pairs = (comment[1:].partition("=") for comment in self.comments)
        return {key.strip(): value.strip() for key, found, value in pairs if found}

    @property
    def id(self) -> str | None:
        """The ``sent_id`` of the metadata."""
        return self.metadata.get("sent_id")

    @property
    def text(self) -> str:
        """The text of the metadata, or else the forms with spaces between them."""
        return self.metadata.get("text") or " ".join(self.forms)

    @property
    def ranges(self) -> list[tuple[int, int, str]]:
        """Multiword tokens: first word, last word, form."""
        rows = (row.decode().split("\t") for row in self._block.extra_rows(self._index, Extra.RANGE))
        spans = ((cells[0].partition("-"), cells[1]) for cells in rows)
        return [(int(first), int(last), form) for (first, _, last), form in spans]

    @property
    def empty_nodes(self) -> list[list[str]]:
        """The rows of the empty nodes, each as its columns."""
        return [row.decode().split("\t") for row in self._block.extra_rows(self._index, Extra.EMPTY_NODE)]

    @property
    def number(self) -> int:
        """The place of the sentence in its file, counted from 1."""
        return self._block.first_sentence + self._index

    @property
    def line(self) -> int:
        """The line of the file on which its first word stands."""
        block = self._block
        words = self._words()
        if words.start == words.stop:
            return block.line_at(int(block.starts[self._index]))
        return block.line_at(int(block.fields[words.start, 0]))

    # -- change and show -----------------------------------------------------------------------------------

    def replace(self, *, heads: ArrayLike | None = None, **columns: Sequence[str]) -> Sentence:
        """Return this sentence with other heads, ``labels`` or columns (``lemma``, ``upos``, ...).

        Only the columns that change are written anew; all other bytes stay as they are.
        """
        if "labels" in columns:
            columns["deprel"] = columns.pop("labels")
        for name, values in {"heads": heads, **columns}.items():
            if values is not None and (isinstance(values, str) or np.shape(values) != (len(self),)):
                raise UsageError(f"{name} must have one entry for each of the {len(self)} words")
        alone = self.alone()
        ids = np.arange(len(self), dtype=np.int32)
        changed = alone.replaced(heads=heads, columns={name: (ids, texts) for name, texts in columns.items()})
        return type(alone)(
            changed, alone.format, file=alone.file, first_line=alone.first_line, first_sentence=self.number
        )[0]

    def alone(self) -> Block:
        """Return a block of this sentence only."""
        from arclift.treebank.block import Block  # a block makes sentences, and here a sentence a block

        return Block(
            bytes(self),
            self._block.format,
            file=self._block.file,
            first_line=self._block.line_at(int(self._block.starts[self._index])),
            first_sentence=self.number,
        )

    def draw(self, *, other: Sentence | None = None, **options: Any) -> str:
        """Return the tree as text for a terminal, beside that of ``other`` if there is one.

        The options are those of `arclift.draw.draw_text`: ``columns``, ``color``, ``max_words``, ...
        """
        from arclift.draw import draw_text  # here and below: most programs that read draw nothing

        return draw_text(
            *self._drawn(), tags=self._tags(), other=other._drawn()[1:] if other else None, **options
        )

    def svg(self, *, other: Sentence | None = None, **options: Any) -> str:
        """Return the tree as an SVG drawing; the options are those of `arclift.draw.draw_svg`."""
        from arclift.draw import draw_svg

        return draw_svg(
            *self._drawn(), tags=self._tags(), other=other._drawn()[1:] if other else None, **options
        )

    def _drawn(self) -> tuple[list[str], list[int], list[str]]:
        blank = ["_"] * len(self)
        return self.forms, self.heads.tolist(), self.labels if self._has("deprel") else blank

    def _tags(self) -> list[str] | None:
        """UPOS, or the other tags where the file has no UPOS."""
        for name in ("upos", "xpos"):
            if self._has(name) and any(tag != "_" for tag in self.column(name)):
                return self.column(name)
        return None

    def _has(self, column: str) -> bool:
        return self._block.format.column(column) >= 0

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        from arclift.draw import draw_html

        return draw_html(self.svg())


class Token:
    """One syntactic word of a sentence."""

    __slots__ = ("_sentence", "id")

    def __init__(self, sentence: Sentence, id: int) -> None:
        self._sentence = sentence
        self.id = id

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        block, row = self._sentence._block, self._sentence._words().start + self.id - 1
        place = block.format.column("deprel" if name == "label" else name)
        if place < 0:
            raise AttributeError(f"the format {block.format.name} has no column {name!r}")
        a, b = block.fields[row, place : place + 2].tolist()
        return block.data[a : max(a, b - 1)].decode()

    @property
    def head(self) -> int:
        """The number of the head; 0 for a root, -1 for none given."""
        return int(self._sentence.heads[self.id - 1])

    @property
    def parent(self) -> Token | None:
        """The head as a token, None for a root."""
        return Token(self._sentence, self.head) if self.head > 0 else None

    @property
    def children(self) -> list[Token]:
        """The dependents from left to right."""
        return [
            Token(self._sentence, i + 1) for i in np.flatnonzero(self._sentence.heads == self.id).tolist()
        ]

    @property
    def features(self) -> dict[str, str]:
        """FEATS as a dictionary."""
        pairs = (pair.partition("=") for pair in self.feats.split("|") if pair != "_")
        return {key: value for key, _, value in pairs}

    def __repr__(self) -> str:
        return f"<Token {self.id} {self.form}>"


class _Tokens(Sequence[Token]):
    """The words of a sentence, made when asked for."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence

    def __len__(self) -> int:
        return len(self._sentence)

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        words = range(1, len(self) + 1)
        if isinstance(index, slice):
            return [Token(self._sentence, id) for id in words[index]]
        return Token(self._sentence, words[index])

    def __iter__(self) -> Iterator[Token]:
        return (Token(self._sentence, id) for id in range(1, len(self) + 1))
