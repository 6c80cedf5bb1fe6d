"""Routing relations without a circuit, checked for deadlock."""

from __future__ import annotations

import csv
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Hashable, Iterable, List, Literal, Optional, Tuple

from ._program import BadInput
from .commands import deadlock
from .results import DeadlockResult

Node = Hashable
"""A node: a number, a text, or coordinates."""


@dataclass(frozen=True)
class RelationHop:
    """A channel that a message may enter."""

    next: Node
    """Node to which the channel leads."""
    vc: int = 0
    """Virtual channel."""
    escape: bool = False
    """True if the channel belongs to the routing subfunction."""


def check_relation(
    channels: Iterable[Tuple[Node, Node]],
    hops: Callable[[Node, Node], Iterable[RelationHop]],
    *,
    vcs: int = 1,
    switching: Optional[Literal["wormhole", "store-and-forward"]] = None,
) -> DeadlockResult:
    """Checks whether messages of a network can wait for each other in a cycle.

    channels: Ends of each channel, in its direction
    hops: Function of a node and a destination. Returns the channels that a message may enter there, or none if
        no message for the destination comes there
    vcs: Virtual channels of each channel
    switching: Channels that a waiting message holds [default: wormhole]
    """
    ends = list(channels)
    nodes = list(dict.fromkeys(node for pair in ends for node in pair))
    names = {node: _name(node) for node in nodes}
    for text in names.values():
        if not text or text != text.strip():
            raise BadInput(f"{text!r} is no name of a node; accepted: a text without blanks at its ends", 2)
    if len(set(names.values())) < len(nodes):
        raise BadInput("two nodes have the same text; accepted: nodes with different texts", 2)

    def name(node: Node) -> str:
        if node not in names:
            raise BadInput(f"there is no node {node!r}; accepted: the ends of the channels", 2)
        return names[node]

    with tempfile.TemporaryDirectory() as folder:
        # A name in quotes may begin with "#", which otherwise begins a comment.
        topology, routes = Path(folder, "topology.csv"), Path(folder, "routes.csv")
        with open(topology, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            rows.writerow(["from", "to", "vcs"])
            rows.writerows([names[start], names[end], vcs] for start, end in ends)
        with open(routes, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            rows.writerow(["at", "to", "next", "vc", "escape"])
            calls: List[str] = []
            for at in nodes:
                for to in nodes:
                    for hop in hops(at, to) if at != to else ():
                        rows.writerow([name(at), name(to), name(hop.next), hop.vc, "yes" if hop.escape else ""])
                        calls.append(f"hops({at!r}, {to!r})")
        try:
            return deadlock(topology=topology, routes=routes, switching=switching)
        except BadInput as error:
            text = _in_arguments(str(error), topology, [f"the channel {pair!r}" for pair in ends], "channels")
            text = _in_arguments(text, routes, calls, "hops")
            raise BadInput(text, error.exit_code) from None


def _in_arguments(text: str, file: Path, rows: List[str], argument: str) -> str:
    """Error in which a place in a file, whose first line is the header, is the argument that the row is from."""

    def place(found: "re.Match[str]") -> str:
        row = int(found[1]) - 2
        return f"{rows[row] if 0 <= row < len(rows) else argument}: "

    return re.sub(re.escape(str(file)) + r":(\d+): ", place, text)


def _name(node: Node) -> str:
    """Name of a node in a file."""
    return ".".join(map(str, node)) if isinstance(node, tuple) else str(node)
