"""Results of commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def _frame(columns: Mapping[str, Sequence[Any]]) -> "pandas.DataFrame":
    try:
        import pandas
    except ImportError:
        raise ImportError("a frame needs pandas; accepted: pip install pandas") from None
    frame: "pandas.DataFrame" = pandas.DataFrame(dict(columns))
    return frame


def rows_frame(rows: Sequence[Mapping[str, Any]]) -> "pandas.DataFrame":
    """Returns a frame with these rows. A missing value is ``None``."""
    names: Dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    return _frame({name: [row.get(name) for row in rows] for name in names})


@dataclass(frozen=True)
class Report:
    """Result of a command."""

    report: Dict[str, Any]
    """The object that the command prints with ``--json`` (docs/command-line.md)."""

    def frame(self) -> "pandas.DataFrame":
        """Returns the result as a pandas frame."""
        rows = self.report.get("rows")
        return rows_frame(rows if isinstance(rows, list) else [self.report])


@dataclass(frozen=True)
class Latency:
    """Latencies of the delivered messages, from the start of the run to the end of the step of the
    arrival. Values are ``None`` if nothing arrived."""

    min: Optional[int]
    p50: Optional[int]
    p99: Optional[int]
    max: Optional[int]
    unit: str


@dataclass(frozen=True)
class ChannelLoads:
    """Traffic of each channel between nodes."""

    unit: str
    """Unit that is counted: ``message`` or ``byte``."""
    slot: str
    """Time in which a unit crosses a channel: ``phase``, ``petit cycle``, ``clock cycle``."""
    slots: Tuple[int, ...]
    """Slots of a channel in the run, by output port."""
    counts: Tuple[Tuple[int, ...], ...]
    """Units that left each node, by node and output port."""

    def load(self, node: int, port: int) -> float:
        """Returns the share of its slots in which a channel was in use."""
        return self.counts[node][port] / self.slots[port] if self.slots[port] else 0.0

    def highest(self) -> Tuple[int, int, float]:
        """Returns node, port and load of the channel with the highest load."""
        ends = ((node, port) for node, row in enumerate(self.counts) for port in range(len(row)))
        node, port = max(ends, key=lambda end: self.load(*end))
        return node, port, self.load(node, port)

    def frame(self) -> "pandas.DataFrame":
        """Returns a pandas frame with a row for each channel."""
        ends = [(node, port) for node, row in enumerate(self.counts) for port in range(len(row))]
        return _frame(
            {
                "node": [node for node, _ in ends],
                "port": [port for _, port in ends],
                "count": [self.counts[node][port] for node, port in ends],
                "load": [self.load(node, port) for node, port in ends],
            }
        )


@dataclass(frozen=True)
class Message:
    """A message of a run."""

    number: int
    source: int
    destination: int
    outcome: str
    """``delivered``, ``to_self``, ``lost``, ``undelivered``, ``unknown`` or ``unfinished``."""
    step: Optional[int]
    """Step of the arrival or of the loss, counted from 0."""

    @property
    def latency(self) -> Optional[int]:
        """Steps from the start of the run to the end of the step of the arrival."""
        return self.step + 1 if self.outcome == "delivered" and self.step is not None else None


@dataclass(frozen=True)
class RunResult(Report):
    """Result of :func:`phasecube.run`."""

    @property
    def network(self) -> str:
        return str(self.report["network"])

    @property
    def nodes(self) -> int:
        return int(self.report["nodes"])

    @property
    def pattern(self) -> str:
        return str(self.report["pattern"])

    @property
    def seed(self) -> int:
        return int(self.report["seed"])

    @property
    def engine(self) -> str:
        return str(self.report["engine"])

    @property
    def delivered(self) -> int:
        """Delivered messages, including those to their own source."""
        return int(self.report["delivered"])

    @property
    def lost(self) -> int:
        return int(self.report["lost"])

    @property
    def hops(self) -> int:
        """Messages that crossed a link, one for each link."""
        return int(self.report["hops"])

    @property
    def clock_cycles(self) -> int:
        return int(self.report["clock_cycles"])

    @property
    def bit_times(self) -> int:
        """Length of the run."""
        return int(self.report["bit_times"])

    @property
    def wire_utilisation(self) -> Optional[float]:
        """Share of the capacity of the wires that was used. ``None`` if nothing moved."""
        value = self.report["wire_utilisation"]
        return None if value is None else float(value)

    @property
    def latency(self) -> Latency:
        return Latency(**self.report["latency"])

    @property
    def channel_loads(self) -> ChannelLoads:
        loads = self.report["channel_loads"]
        counts = tuple(tuple(row) for row in loads["counts"])
        return ChannelLoads(loads["unit"], loads["slot"], tuple(loads["slots"]), counts)

    @property
    def message_records(self) -> Sequence[Message]:
        """The messages in the order of their list."""
        columns = self._columns()
        return [Message(number, *row) for number, row in enumerate(zip(*columns.values()))]

    def _columns(self) -> Dict[str, List[Any]]:
        records = self.report.get("message_records", {})
        return {name: records.get(name, []) for name in ("source", "destination", "outcome", "step")}

    def frame(self) -> "pandas.DataFrame":
        """Returns a pandas frame with a row for each message."""
        columns = self._columns()
        latency = [message.latency for message in self.message_records]
        return _frame({**columns, "latency": latency})


@dataclass(frozen=True)
class Hop:
    """A hop of a route."""

    node: int
    next: int
    properties: Dict[str, Any]
    """Further properties, which depend on the network: ``port``, ``dim``, ``vc``, ``phase``."""


@dataclass(frozen=True)
class RouteResult(Report):
    """Result of :func:`phasecube.route`."""

    @property
    def network(self) -> str:
        return str(self.report["network"])

    @property
    def hops(self) -> Sequence[Hop]:
        """Hops of the route. With ``statistics`` there are none."""
        hops = self.report["hops"]
        ends = ("node", "next")
        return [
            Hop(hop["node"], hop["next"], {key: hop[key] for key in hop if key not in ends})
            for hop in (hops if isinstance(hops, list) else [])
        ]

    def frame(self) -> "pandas.DataFrame":
        """Returns a pandas frame with a row for each hop."""
        hops = self.report["hops"]
        return rows_frame(hops if isinstance(hops, list) else [self.report])


@dataclass(frozen=True)
class DeadlockResult(Report):
    """Result of :func:`phasecube.deadlock`."""

    @property
    def acyclic(self) -> bool:
        """True if no messages can wait for each other in a cycle."""
        return bool(self.report["acyclic"])

    @property
    def deadlock_free(self) -> Optional[bool]:
        """True if no traffic can deadlock the network, by an order of all channels or of escape channels, or
        because it resolves its cycles. False if messages deadlocked the circuit, or a network without a circuit.
        ``None`` if that is open."""
        value = self.report["deadlock_free"]
        return None if value is None else bool(value)

    @property
    def escape_channels(self) -> Sequence[str]:
        """Escape channels that prove freedom from deadlock, in order. Empty without such a proof."""
        escape = self.report["escape"]
        return list(escape["channels"]) if escape else []

    @property
    def channels(self) -> Sequence[str]:
        """All channels in an order in which none waits for an earlier one, or a cycle."""
        return list(self.report["channels"] or [])

    @property
    def messages(self) -> Sequence[Tuple[int, int]]:
        """Source and destination of messages that fill the cycle."""
        return [(source, destination) for source, destination in self.report["messages"] or []]


@dataclass(frozen=True)
class CompileResult(Report):
    """Result of :func:`phasecube.compile`."""

    @property
    def superframes(self) -> Optional[int]:
        value = self.report["superframes"]
        return None if value is None else int(value)

    @property
    def phase_pairs(self) -> int:
        return int(self.report["phase_pairs"])

    @property
    def lower_bound(self) -> int:
        """Superframes that no schedule can do without."""
        return int(self.report["lower_bound"])


@dataclass(frozen=True)
class Claim:
    """A claim of a paper."""

    id: str
    name: str
    source: str
    claim: str
    verdict: str
    properties: Dict[str, Any]


@dataclass(frozen=True)
class Claims(Report):
    """Result of :func:`phasecube.claims`."""

    @property
    def counts(self) -> Dict[str, int]:
        """Number of claims, and of claims with each verdict."""
        return dict(self.report["counts"])

    @property
    def claims(self) -> Sequence[Claim]:
        names = ("id", "name", "source", "claim", "verdict")
        return [
            Claim(**{name: claim[name] for name in names}, properties={key: claim[key] for key in claim if key not in names})
            for claim in self.report["claims"]
        ]

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def frame(self) -> "pandas.DataFrame":
        """Returns a pandas frame with a row for each claim."""
        return rows_frame(self.report["claims"])


@dataclass(frozen=True)
class ComparedRun:
    """Run of a machine on a pattern."""

    machine: str
    pattern: str
    messages: int
    delivered: int
    bit_times: int
    hops: int
    wire_utilisation: Optional[float]
    latency: Latency


@dataclass(frozen=True)
class CompareResult(Report):
    """Result of :func:`phasecube.compare`."""

    @property
    def machines(self) -> Sequence[str]:
        """Names of the compared machines."""
        return [str(machine["machine"]) for machine in self.report["machines"]]

    @property
    def runs(self) -> Sequence[ComparedRun]:
        """Runs of each machine on each pattern."""
        return [
            ComparedRun(
                run["machine"],
                run["pattern"],
                run["messages"],
                run["delivered"],
                run["bit_times"],
                run["hops"],
                run["wire_utilisation"],
                Latency(**run["latency"]),
            )
            for run in self.report["runs"]
        ]

    def frame(self) -> "pandas.DataFrame":
        """Returns a pandas frame with a row for each machine and pattern."""
        rows = []
        for run in self.report["runs"]:
            latency = {f"latency_{key}": value for key, value in run["latency"].items()}
            rows.append({**{key: run[key] for key in run if key != "latency"}, **latency})
        return rows_frame(rows)
