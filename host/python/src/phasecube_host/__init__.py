"""Loads and runs programs on a Phasecube machine, sends messages and collects results.

    from phasecube_host import ThinkinMachine

    with ThinkinMachine("tcp:7700") as machine:
        machine.load("all_reduce")
        results = machine.run([[n] for n in range(machine.nodes)])
        print(results.values[0])

The machine is a board, or a simulated board (``phasecube board --dims 4``). The protocol is
described in docs/host-protocol.md of the repository.
"""

from .machine import Results, ThinkinMachine, through
from .messages import (
    About,
    BoardError,
    Ended,
    Event,
    HostError,
    Message,
    NoAnswer,
    Place,
    State,
    Status,
    Trap,
    VersionMismatch,
)

__all__ = [
    "About",
    "BoardError",
    "Ended",
    "Event",
    "HostError",
    "Message",
    "NoAnswer",
    "Place",
    "Results",
    "State",
    "Status",
    "ThinkinMachine",
    "Trap",
    "VersionMismatch",
    "through",
]
