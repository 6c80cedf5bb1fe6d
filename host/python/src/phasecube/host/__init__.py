"""Loads and runs programs on a Phasecube machine, sends messages and collects results.

    from phasecube.host import Machine

    with Machine("tcp:7700") as machine:
        machine.load("all_reduce")
        results = machine.run([[n] for n in range(machine.nodes)])
        print(results.values[0])

The machine is a board, or a simulated board (``phasecube board --dims 4``). The protocol is
described in docs/host-protocol.md of the repository.
"""

from .machine import Machine, Results, through
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
    Text,
    Trap,
    VersionMismatch,
)

# Earlier name of Machine. The alias is removed in the next release.
ThinkinMachine = Machine

__all__ = [
    "About",
    "BoardError",
    "Ended",
    "Event",
    "HostError",
    "Machine",
    "Message",
    "NoAnswer",
    "Place",
    "Results",
    "State",
    "Status",
    "Text",
    "ThinkinMachine",
    "Trap",
    "VersionMismatch",
    "through",
]
