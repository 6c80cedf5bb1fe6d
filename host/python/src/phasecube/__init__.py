"""Runs, compares and sweeps interconnection networks with the program ``phasecube``.

    import phasecube

    result = phasecube.run(network="torus", radix=(8, 8), pattern="bitrev", seed=3)
    print(result.latency.p50, result.channel_loads.highest())
    frame = result.frame()  # a pandas frame with a row for each message

A function runs one command, with its flags as keyword arguments. The functions are generated from
the description that ``phasecube interface`` prints. :func:`sweep` runs a grid of parameters.
:mod:`phasecube.host` is the client of boards.
"""

from ._program import BadInput, PhasecubeError, RunFailed, Stopped, find_program, version
from .commands import *  # noqa: F403
from .commands import __all__ as _commands
from .relations import RelationHop, check_relation
from .results import (
    ChannelLoads,
    Claim,
    Claims,
    ComparedRun,
    CompareResult,
    CompileResult,
    DeadlockResult,
    Hop,
    Latency,
    Message,
    Report,
    RouteResult,
    RunResult,
)
from .sweeps import Point, Sweep, sweep

__all__ = [
    "BadInput",
    "ChannelLoads",
    "Claim",
    "Claims",
    "ComparedRun",
    "CompareResult",
    "CompileResult",
    "DeadlockResult",
    "Hop",
    "Latency",
    "Message",
    "PhasecubeError",
    "Point",
    "RelationHop",
    "Report",
    "RouteResult",
    "RunFailed",
    "RunResult",
    "Stopped",
    "Sweep",
    "check_relation",
    "find_program",
    "sweep",
    "version",
    *_commands,
]
