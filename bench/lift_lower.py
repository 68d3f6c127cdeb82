"""Lift and lower every treebank with every scheme: words per CPU second on one core.

``arrays`` is the transformation alone, of heads and label ids in memory (what a parser calls); ``bytes`` is
CoNLL in, CoNLL out, reading and writing included.
"""

from __future__ import annotations

import io
from collections.abc import Callable

from common import cpu_seconds, read_bytes, save, treebank_files

from arclift.treebank import Block, Reader, StringTable
from arclift.treebank.transform import Deprojectivizer, Projectivizer, Transform
from arclift.trees.encoding import encode
from arclift.trees.labels import Scheme
from arclift.trees.lowering import lower


def blocks_of(files: list[bytes]) -> list[Block]:
    return [block for data in files for block in Reader(io.BytesIO(data), trees=True).blocks()]


def transformed(files: list[bytes], make: Callable[[], Transform]) -> list[bytes]:
    result = []
    for data in files:
        transform = make()
        result.append(b"".join(transform(block) for block in Reader(io.BytesIO(data), trees=True).blocks()))
    return result


def measure(files: list[bytes], scheme: Scheme) -> dict[str, float]:
    strings = StringTable()
    inputs = [(block.heads, block.ids("deprel", strings), block.offsets) for block in blocks_of(files)]
    names = [strings[id].decode() for id in range(len(strings))]
    encoded = [encode(*arrays, names, scheme) for arrays in inputs]
    words = sum(len(heads) for heads, _, _ in inputs)

    def lift() -> None:
        for arrays in inputs:
            encode(*arrays, names, scheme)

    def lower_all() -> None:
        for done, (_, _, offsets) in zip(encoded, inputs, strict=True):
            lower(done.heads, done.labels, offsets, done.names, scheme)

    lifted = transformed(files, lambda: Projectivizer(scheme))
    times = {
        "lift_arrays": cpu_seconds(lift),
        "lower_arrays": cpu_seconds(lower_all),
        "lift_bytes": cpu_seconds(lambda: transformed(files, lambda: Projectivizer(scheme))),
        "lower_bytes": cpu_seconds(lambda: transformed(lifted, lambda: Deprojectivizer(scheme))),
    }
    return {name: round(words / seconds) for name, seconds in times.items()}


def main() -> None:
    everything = [read_bytes(path) for path in treebank_files()]
    dutch = [read_bytes(path) for path in treebank_files("nl_lassysmall")]
    save(
        "lift_lower",
        {
            "unit": "words per CPU second",
            "all 21 treebanks": {scheme.value: measure(everything, scheme) for scheme in Scheme},
            "nl_lassysmall (6 % non-projective)": {scheme.value: measure(dutch, scheme) for scheme in Scheme},
        },
    )


if __name__ == "__main__":
    main()
