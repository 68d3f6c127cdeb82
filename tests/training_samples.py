"""Small treebanks to train on, and configurations that do so quickly."""

from __future__ import annotations

from random import Random

from strategies import random_heads

GRAPH_SETS = [
    "graph.embedding=32",
    "graph.state=16",
    "graph.arc=16",
    "graph.label=16",
    "graph.batch=60",
    "graph.steps=20",
    "training.epochs=8",
]
TRANSITION_SETS = ["learner.name=perceptron", "learner.bits=14", "training.epochs=8", "training.patience=8"]
TAGS = ("NOUN", "VERB", "ADJ", "X")


def treebank(sentences: int, seed: int, single_root: bool = True) -> bytes:
    """Return sentences whose words tell where their heads are, so that there is something to learn."""
    rng = Random(seed)
    text = []
    for _ in range(sentences):
        heads = random_heads(rng.randint(1, 9), rng, single_root=single_root).tolist()
        for i, head in enumerate(heads, 1):
            form, tag = f"w{min(max(head - i, -3), 3) if head else 'root'}", TAGS[len(str(head)) % 4]
            label = tag.lower() if head else "root"
            text.append(f"{i}\t{form}\t_\t{tag}\t_\tA={i % 2}\t{head}\t{label}\t_\t_\n")
        text.append("\n")
    return "".join(text).encode()
