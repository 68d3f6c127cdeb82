"""A treebank's statistics as a picture; needs matplotlib (``pip install "arclift[plots]"``)."""

from __future__ import annotations

from typing import Any

from arclift.errors import UsageError

_BLUE, _ORANGE = "#4477aa", "#ee7733"


def plot_statistics(figures: dict[str, Any], path: str) -> None:
    """Draw the figures of `arclift.treebank.statistics` into a file, its format taken from the name."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise UsageError('plots need matplotlib: pip install "arclift[plots]"') from error
    if not path.lower().endswith((".png", ".svg", ".pdf")):
        raise UsageError(f"{path}: a plot is a .png, .svg or .pdf file")
    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "arclift", "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained")
    figure.suptitle(
        f"{figures['sentences']:,} sentences, {figures['words']:,} words, "
        f"{figures['nonprojective_arcs_percent']:.2f} % of arcs and "
        f"{figures['nonprojective_sentences_percent']:.1f} % of sentences non-projective"
    )
    _bars(axes[0, 0], figures["lifts_percent"], "lifts of an arc", "% of lifted arcs")
    _bars(axes[0, 1], figures["gap_degree"], "gap degree", "sentences", log=True)
    _bars(axes[0, 2], figures["edge_degree"], "edge degree", "sentences", log=True)
    _bars(axes[1, 0], figures["arc_lengths"], "arc length", "arcs", log=True, numbers=True)
    _bars(axes[1, 1], figures["depths"], "depth", "words", numbers=True)
    _schemes(axes[1, 2], figures["schemes"])
    metadata = {"Date": None} if path.lower().endswith((".svg",)) else {}
    try:
        figure.savefig(path, metadata=metadata, dpi=120)
    finally:
        plt.close(figure)


def _bars(
    axis: Any, counts: dict[str, float], name: str, unit: str, *, log: bool = False, numbers: bool = False
) -> None:
    places = [int(key) for key in counts] if numbers else list(counts)
    axis.bar(places, list(counts.values()), color=_BLUE)
    axis.set_xlabel(name)
    axis.set_ylabel(unit)
    if log:
        axis.set_yscale("log")


def _schemes(axis: Any, schemes: dict[str, Any]) -> None:
    names = [name for name in schemes if name != "baseline"]
    shares = [schemes[name]["recovered_percent"] for name in names]
    axis.barh(names, shares, color=_ORANGE)
    axis.set_xlim(min(80.0, *shares), 100)
    axis.invert_yaxis()
    axis.set_xlabel("% of lifted arcs brought back (number of labels)")
    for place, name in enumerate(names):
        axis.annotate(
            f"{shares[place]:.1f} ({schemes[name]['labels']:,})",
            (axis.get_xlim()[0], place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color="white",
            fontweight="bold",
        )
