"""Pictures of results, with matplotlib.

Every function draws into the given axes, or into new ones, and returns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Literal, Optional, Tuple

from ._program import BadInput
from .results import Report, RunResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNITS = {
    "flit": ("offered_flits", "accepted_flits", "flits per node and clock cycle"),
    "period": ("offered", "accepted", "messages per node and period"),
    "share": ("offered_share", "accepted_share", "share of the channel capacity"),
}

_CROSSES = ("fwd", "dlv", "repeat", "held")


def _axes(axes: Optional["Axes"], title: str, x: str, y: str) -> "Axes":
    if axes is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("a picture needs matplotlib; accepted: pip install matplotlib") from None
        axes = pyplot.subplots(layout="constrained")[1]
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return axes


def latency_load(
    *sweeps: Report,
    unit: Literal["flit", "period", "share"] = "flit",
    quantity: Literal["latency", "accepted"] = "latency",
    axes: Optional["Axes"] = None,
) -> "Axes":
    """Draws a curve for each machine of results of :func:`phasecube.sweep_load`: the mean latency or the accepted load
    against the offered load. Bars are 95 % confidence intervals. Hollow points are saturated."""
    offered, accepted, label = _UNITS[unit]
    y = "mean latency, bit-times" if quantity == "latency" else f"accepted load, {label}"
    axes = _axes(axes, "Latency and load" if quantity == "latency" else "Throughput", f"offered load, {label}", y)
    value = "mean_latency" if quantity == "latency" else accepted
    for sweep in sweeps:
        for machine in sweep.report["machines"]:
            name = machine["machine"]
            points = [point for point in sweep.report["points"] if point["machine"] == name]
            points = [point for point in points if point[value] is not None]
            x = [point[offered] for point in points]
            heights = [point[value] for point in points]
            line = axes.plot(x, heights, label=name)[0]
            for point, left, height in zip(points, x, heights):
                axes.errorbar(
                    [left],
                    [height],
                    yerr=[_half_interval(point, quantity, accepted)],
                    marker="o",
                    markerfacecolor="none" if point["saturated"] else line.get_color(),
                    color=line.get_color(),
                )
    if quantity == "latency":
        axes.set_yscale("log")
    axes.legend()
    return axes


def _half_interval(point: Dict[str, Any], quantity: str, accepted: str) -> float:
    if quantity == "latency":
        return float(point["mean_latency_ci95"] or 0.0)
    if accepted == "accepted_flits":
        return float(point["accepted_flits_ci95"] or 0.0)
    # The interval is in messages per node and period, and a share is a multiple of that.
    half = float(point["accepted_ci95"] or 0.0)
    return half * float(point[accepted]) / float(point["accepted"]) if point["accepted"] else 0.0


def utilisation(
    result: RunResult, *, over: Literal["ports", "phases"] = "ports", axes: Optional["Axes"] = None
) -> "Axes":
    """Draws the use of the channels of a run as a map.

    Over ports, a row is a node and a column is a port. Over phases, a row is a channel and a column is a phase of
    the superframe. The run must then have a log (``trace=True``) and a network with phases."""
    if over == "ports":
        loads = result.channel_loads
        ports = len(loads.slots)
        rows = [[loads.load(node, port) for port in range(ports)] for node in range(len(loads.counts))]
        axes = _axes(axes, f"Use of the channels, {result.network}", "port", "node")
    else:
        rows, names = _by_phase(result)
        axes = _axes(axes, f"Use of the channels, {result.network}", "phase of the superframe", "channel")
        if len(names) <= 40:
            axes.set_yticks(range(len(names)), names)
    image = axes.imshow(rows, aspect="auto", vmin=0.0, vmax=1.0, interpolation="nearest")
    if axes.figure is not None:
        axes.figure.colorbar(image, ax=axes, label="share of the time")
    return axes


def _by_phase(result: RunResult) -> Tuple[List[List[float]], List[str]]:
    crossed = [line for line in _log(result) if line["what"] in _CROSSES and line["node"] != line["to"]]
    if result.channel_loads.slot != "phase":
        raise BadInput(f"{result.network} has no phases; accepted: over='ports'", 2)
    # A frame and its rejection are one use of the channel.
    used = {(line["node"], line["to"], line["t"], line["phase"]) for line in crossed}
    ends = sorted({(node, to) for node, to, _, _ in used})
    place = {end: row for row, end in enumerate(ends)}
    phases = 1 + max((phase for _, _, _, phase in used), default=0)
    frames = result.report["superframes"] or 1
    rows = [[0.0] * phases for _ in ends]
    for node, to, _, phase in used:
        rows[place[node, to]][phase] += 1.0 / frames
    return rows, [f"{node} to {to}" for node, to in ends]


def space_time(
    result: RunResult, *, messages: Optional[Iterable[int]] = None, axes: Optional["Axes"] = None
) -> "Axes":
    """Draws the hops of messages in time: a line for each hop, from its node to the next one. The run must have a log
    (``trace=True``). ``messages`` are numbers of messages [default: all]."""
    chosen = None if messages is None else set(messages)
    axes = _axes(axes, f"Messages in time, {result.network}", f"time, {result.latency.unit}", "node")
    for line in _log(result):
        if line["what"] in ("fwd", "dlv") and (chosen is None or line["message"] in chosen):
            colour = f"C{line['message'] % 10}"
            axes.plot([line["t"], line["t"] + 1], [line["node"], line["to"]], color=colour, linewidth=1)
    return axes


def _log(result: RunResult) -> List[Dict[str, Any]]:
    log = result.report.get("log")
    if log is None:
        raise BadInput("the run has no log; accepted: a run with trace=True", 2)
    return [line for line in log if "message" in line]
