"""Programs on a Phasecube machine: load, run, send, collect.

    from phasecube_host import ThinkinMachine

    with ThinkinMachine("tcp:7700") as machine:
        machine.load("all_reduce")
        results = machine.run([[n] for n in range(machine.nodes)])
        print(results.values[0])

On a board, or on the simulated one (``phasecube board --dims 4``). The protocol stands in
docs/host-protocol.md of the repository.
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
