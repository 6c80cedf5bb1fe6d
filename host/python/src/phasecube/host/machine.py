"""A machine at a port: loads a program, runs it, sends messages and collects results."""

from __future__ import annotations

import json
import operator
import os
import random
import shutil
import struct
import subprocess
import sysconfig
import tempfile
import time
from binascii import crc32
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import (
    Any,
    Callable,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Set,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from . import messages as m
from .messages import About, BoardError, Ended, Event, HostError, Message, NoAnswer, Place, State
from .messages import Status, Text, Trap, VersionMismatch
from .port import Port, open_port
from .print_format import filled
from .wire import VERSION, Frame, Receiver

T = TypeVar("T")

Value = Union[int, bytes]
"""One message for a program: a word of 32 bits, or the bytes of the message. An integer of another
type, such as numpy's, counts as ``int``."""

Data = Union[Mapping[int, Iterable[Value]], Iterable[Iterable[Value]]]
"""Messages for the program of each node: rows of values, indexed by node. A numpy array is accepted."""

Program = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]
"""A program, in one of these forms: its bytes; a file of its bytes (``.bin``, from ``phasecube load
NAME --image FILE``); or a name, a C or C++ file or an ELF file, which the program ``phasecube`` reads."""

_BOARD_MEMORY = (2048, 512)
_REPORT, _REFUSED, _ARGUMENT, _FORMAT = 0xC5, 0xFB, 0xFC, 0xFD
_AGAIN = 1.0
_GREETING = 5.0
_PATIENCE = 120.0
_PAUSE_MIN, _PAUSE_MAX = 0.001, 0.1


@dataclass
class Results:
    """Result of a run."""

    values: List[List[Value]]
    """Values that each node's program returned, by node: signed words, or bytes."""
    exits: List[Optional[int]]
    """Exit code by node; ``None`` if the program has not ended."""
    traps: List[Trap] = field(default_factory=list)
    """Traps of the cores that have halted."""
    prints: List[Text] = field(default_factory=list)
    """Texts of ``ctrl_print``, in the order of their arrival, if a file of the program was loaded."""
    dropped: List[Message] = field(default_factory=list)
    """Routed messages that nodes dropped, because a link is down. The data begin with the destination."""
    refused: Dict[int, int] = field(default_factory=dict)
    """Calls of ``ctrl_send`` that were refused, because the message was too long or empty, by node."""
    state: State = State.ENDED
    """``State.ENDED``, or ``State.RESTING`` if programs stall."""

    @property
    def ok(self) -> bool:
        """True if all programs have ended with code 0, and no ``ctrl_send`` was refused."""
        return all(code == 0 for code in self.exits) and not self.refused

    def array(self) -> Any:
        """Returns the values as a numpy array of words with a row for each node. Raises
        :class:`HostError` if the nodes returned different numbers of values, or bytes."""
        import numpy

        lengths = {len(row) for row in self.values}
        if len(lengths) > 1 or any(isinstance(value, bytes) for row in self.values for value in row):
            raise HostError("the values are not an array; accepted: nodes that return equally many words")
        return numpy.array(self.values, dtype=numpy.int64)

    def grid(self) -> Any:
        """Returns the values as a numpy array by row and column of the grid in Gray code: 64 x 64 for
        12 dimensions. Nodes that return several words add a third axis. Raises :class:`HostError`
        as :meth:`array`."""
        values = self.array()
        dims = (len(values) - 1).bit_length()
        columns = 1 << dims // 2
        rows = len(values) // columns
        nodes = [grid_node(row, column, dims) for row in range(rows) for column in range(columns)]
        cells = values[nodes].reshape(rows, columns, -1)
        return cells[:, :, 0] if cells.shape[2] == 1 else cells


def grid_node(row: int, column: int, dims: int) -> int:
    """Returns the node in this row and column of the grid, whose rows and columns are in Gray code."""
    return (row ^ row >> 1) << dims // 2 | (column ^ column >> 1)


def through(to: int, payload: bytes) -> bytes:
    """Returns a message for node ``to`` in the format that ``route`` accepts from its host."""
    if not isinstance(payload, (bytes, bytearray, memoryview)):
        raise HostError(f"the payload is {payload!r}; accepted: bytes")
    return struct.pack("<H", to) + bytes(payload)


def find_tool(given: Optional[str]) -> Optional[str]:
    """Returns the path of the program ``phasecube``: the given one, else that of the environment, else
    the one on the path or next to Python."""
    # A wheel puts the program next to Python, which may be off the path.
    path = os.environ.get("PATH", os.defpath) + os.pathsep + sysconfig.get_path("scripts")
    return given or os.environ.get("PHASECUBE") or shutil.which("phasecube", path=path)


def _error_of(printed: str) -> str:
    """Returns the error that the program ``phasecube`` printed."""
    error = printed.strip()
    return error[len("error: ") :] if error.startswith("error: ") else error


def _stop(board: "subprocess.Popen[bytes]") -> None:
    """Ends a simulated board."""
    board.terminate()
    try:
        board.wait(10)
    except subprocess.TimeoutExpired:
        board.kill()
        board.wait()
    if board.stdout is not None:
        board.stdout.close()


def _bytes_of(value: Value) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    try:
        word: Optional[int] = operator.index(value)
    except TypeError:
        word = None
    if word is None or not -(2**31) <= word < 2**32:
        raise HostError(f"{value!r} is not a word; accepted: -2147483648 to 4294967295, or bytes")
    return struct.pack("<I", word & 0xFFFFFFFF)


def _values_of(node: int, row: Iterable[Value]) -> Iterator[Value]:
    try:
        return iter(row)
    except TypeError:
        raise HostError(
            f"the data of node {node} is {row!r}; accepted: a row of values for each node"
        ) from None


class Machine:
    """A machine at a port: a board or a simulated one.

    ``port`` is ``tcp:PORT``, ``tcp:HOST:PORT`` or ``tcp:[IPV6]:PORT``, where ``phasecube board``
    listens, ``HOST:PORT``, or a serial port. ``phasecube`` is the path of the program that compiles C and finds
    programs by name. The default is the environment variable ``PHASECUBE``, else the program on the
    path.

    Raises :class:`HostError` if no board answers, or the board has another version of the protocol.
    """

    def __init__(self, port: Union[str, Port] = "tcp:7700", phasecube: Optional[str] = None) -> None:
        self._port = open_port(port) if isinstance(port, str) else port
        self._receiver = Receiver()
        # Random, because frames of another client may still be on the line.
        self._sequence = random.randrange(0x10000)
        self._lines: Deque[str] = deque(maxlen=16)
        self._phasecube = phasecube
        self._board: Optional["subprocess.Popen[bytes]"] = None
        self._patience = _PATIENCE
        self._program: Optional[int] = None
        self._formats: Dict[int, str] = {}
        self._inbox: Deque[Event] = deque()
        try:
            payload = self._request(m.HELLO, patience=_GREETING)
            self.about: About = _understood(lambda: About.read(payload))
            least = max(m.LOAD_HEADER, m.SEND_HEADER + self.about.message)
            if self.about.payload <= least or self.about.nodes == 0:
                raise HostError("the board sent an unexpected reply: it has no nodes, or no room for a message")
        except BaseException:
            self._port.close()
            raise

    @classmethod
    def simulate(cls, dims: int = 3, phasecube: Optional[str] = None, **flags: object) -> "Machine":
        """Starts a simulated board of this cube, and connects to it. :meth:`close` and the end of
        ``with`` stop the board.

        Other arguments are flags of ``phasecube board``, with ``_`` for ``-``: ``payload=8``,
        ``memory="16K,8K"``. Raises :class:`HostError` with the program's message if it does not start.
        """
        tool = find_tool(phasecube)
        if tool is None:
            raise HostError("phasecube is not installed; accepted: its path in PHASECUBE")
        words = [tool, "board", "--quiet", "--dims", str(dims), "--listen", "tcp:0"]
        for name, value in flags.items():
            words += ["--" + name.replace("_", "-"), str(value)]
        # Its own file, because an unread pipe fills up and stops the board.
        with tempfile.TemporaryFile() as log:
            board = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
            try:
                assert board.stdout is not None
                line = board.stdout.readline().decode(errors="replace")
                port = next((word.rstrip(",;.") for word in line.split() if word.startswith("tcp:")), None)
                if port is None:
                    board.wait()
                    log.seek(0)
                    raise HostError(_error_of(log.read().decode(errors="replace")) or "the board did not start")
                machine = cls(port, tool)
            except BaseException:
                _stop(board)
                raise
        machine._board = board
        return machine

    def __enter__(self) -> "Machine":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the port. An active run continues, except on a board of :meth:`simulate`, which is
        stopped."""
        self._port.close()
        if self._board is not None:
            board, self._board = self._board, None
            _stop(board)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.about.nodes

    def load(self, program: Program) -> None:
        """Loads a program into all nodes. Ends an active run."""
        formats: Dict[int, str] = {}
        if isinstance(program, (bytes, bytearray, memoryview)):
            image, name = bytes(program), "the program"
        else:
            try:
                name = os.fspath(program)
            except TypeError:
                accepted = "a name, the path of a file, or the bytes of an image"
                raise HostError(f"the program is {program!r}; accepted: {accepted}") from None
            image, formats = self._image(name)
        if len(image) > self.about.program:
            raise HostError(
                f"{name} has {len(image)} bytes; accepted: up to {self.about.program}, the program "
                "store of a node of this board"
            )
        self._program = None
        self._formats = formats
        self._inbox.clear()
        crc = crc32(image)
        piece = self.about.payload - m.LOAD_HEADER
        for offset in range(0, max(len(image), 1), piece):
            head = struct.pack("<III", offset, len(image), crc)
            self._request(m.LOAD, head + image[offset : offset + piece])
        self._program = crc

    def start(self) -> None:
        """Starts the loaded program on all nodes from reset, and waits until it runs."""
        if self._program is None:
            raise HostError("no program was loaded by this client; accepted: load one first")
        self._inbox.clear()
        self._request(m.START, struct.pack("<I", self._program))
        pause = _PAUSE_MIN
        while self.status().state == State.STARTING:
            time.sleep(pause)
            pause = min(_PAUSE_MAX, 2 * pause)

    def run(self, data: Optional[Data] = None) -> Results:
        """Runs the loaded program on this data, until all programs have ended or halted, or the
        machine stalls."""
        self.start()
        self.give({} if data is None else data)
        return self.collect()

    def give(self, data: Data) -> None:
        """Sends the data to the programs, and then the end of the messages."""
        rows: Iterable[Tuple[int, Iterable[Value]]]
        try:
            rows = data.items() if isinstance(data, Mapping) else enumerate(data)
        except TypeError:
            raise HostError(f"the data is {data!r}; accepted: a row of values for each node") from None
        self.send_all((node, _bytes_of(value)) for node, row in rows for value in _values_of(node, row))
        self.finish()

    def send(self, node: int, message: Value) -> None:
        """Sends a message to the program of a node, which receives it with one ``ctrl_recv``."""
        self.send_all([(node, _bytes_of(message))])

    def send_through(self, source: int, to: int, payload: bytes) -> None:
        """Sends a message through the machine. The nodes must run ``route``."""
        self._check_node(to)
        self.send(source, through(to, payload))

    def send_all(self, many: Iterable[Tuple[int, bytes]]) -> None:
        """Sends many messages like :meth:`send`, each with its node."""
        waiting = list(many)
        for node, message in waiting:
            self._check_node(node)
            if not 0 < len(message) <= self.about.message:
                raise HostError(
                    f"a message has {len(message)} bytes; accepted: 1 to {self.about.message} on "
                    "this board"
                )
        pause = _PAUSE_MIN
        while waiting:
            left = self._send_what_has_room(waiting)
            if not left:
                return
            # Programs may wait until their messages are collected.
            at_work = self.status().state.is_at_work
            events = self._fetch_frames(self.nodes)
            unchanged = len(left) == len(waiting) and not events
            if unchanged and not at_work:
                raise BoardError(m.FULL, "the board has no room for messages, and its programs stall")
            self._inbox.extend(events)
            waiting = left
            time.sleep(pause)
            pause = min(_PAUSE_MAX, 2 * pause) if unchanged else _PAUSE_MIN

    def _send_what_has_room(self, many: List[Tuple[int, bytes]]) -> List[Tuple[int, bytes]]:
        """Sends messages in frames, and returns in order those for which the board had no room.

        A board accepts a whole frame or rejects it. The messages of a rejected frame are sent again
        separately for each node, because one program may be full while it waits for a message
        from another program."""
        left: List[Tuple[int, bytes]] = []
        full: Set[int] = set()
        for frame in self._frames(many):
            # Keeps the order of the messages of a node.
            left += [one for one in frame if one[0] in full]
            frame = [one for one in frame if one[0] not in full]
            if not frame or self._takes(frame):
                continue
            for node in dict.fromkeys(node for node, _ in frame):
                of_node = [one for one in frame if one[0] == node]
                if len(of_node) == len(frame) or not self._takes(of_node):
                    full.add(node)
                    left += of_node
        return left

    def _frames(self, many: Iterable[Tuple[int, bytes]]) -> Iterator[List[Tuple[int, bytes]]]:
        """Yields frames, each with as many messages as fit."""
        frame: List[Tuple[int, bytes]] = []
        room = self.about.payload
        for node, message in many:
            length = m.SEND_HEADER + len(message)
            if length > room:
                yield frame
                frame, room = [], self.about.payload
            frame.append((node, message))
            room -= length
        if frame:
            yield frame

    def _takes(self, frame: Iterable[Tuple[int, bytes]]) -> bool:
        """Sends a frame, and returns whether the board had room for it."""
        messages = (struct.pack("<IB", node, len(message)) + message for node, message in frame)
        try:
            self._request(m.SEND, b"".join(messages))
        except BoardError as error:
            if error.code != m.FULL:
                raise
            return False
        return True

    def finish(self) -> None:
        """Sends the end of the messages to all programs."""
        self._request(m.FINISH, struct.pack("<I", m.ALL))

    def collect_now(self) -> List[Event]:
        """Returns the events that were not collected yet, without waiting."""
        events = list(self._inbox)
        self._inbox.clear()
        while True:
            more = self._fetch()
            if not more:
                return events
            events += more

    def collect_streaming(self) -> Iterator[Event]:
        """Yields the events of the programs on arrival, until all programs have ended or halted, or
        the machine stalls."""
        pause = _PAUSE_MIN
        while True:
            while self._inbox:
                yield self._inbox.popleft()
            # Read before the events, because no event follows the end.
            at_work = self.status().state.is_at_work
            events = self._fetch()
            if events:
                self._inbox.extend(events)
                pause = _PAUSE_MIN
            elif at_work:
                time.sleep(pause)
                pause = min(_PAUSE_MAX, 2 * pause)
            else:
                return

    def collect(self) -> Results:
        """Collects all events until the end of :meth:`collect_streaming`."""
        results = Results([[] for _ in range(self.nodes)], [None] * self.nodes)
        arguments: Dict[int, List[int]] = {}
        for event in self.collect_streaming():
            report = self._report(event) if isinstance(event, Message) else None
            if report is not None and report[0] == _REFUSED:
                results.refused[event.node] = results.refused.get(event.node, 0) + 1
            elif report is not None and report[0] == _ARGUMENT:
                arguments.setdefault(event.node, []).append(report[1])
            elif report is not None:
                format = self._formats[report[1]]
                text = filled(format, arguments.pop(event.node, [])).rstrip("\n")
                results.prints.append(Text(event.node, event.phase, text))
            elif isinstance(event, Message) and not event.delivered:
                results.dropped.append(event)
            elif isinstance(event, Message):
                results.values[event.node] += event.values
            elif isinstance(event, Ended):
                if results.exits[event.node] is None:
                    results.exits[event.node] = event.code
            else:
                results.traps.append(event)
        results.state = self.status().state
        return results

    def _report(self, message: Message) -> Optional[Tuple[int, int]]:
        """Returns kind and word of a report of the runtime: a refused call, or a text whose format is known."""
        if not message.delivered or len(message.data) != 6 or message.data[0] != _REPORT:
            return None
        kind, word = struct.unpack_from("<BI", message.data, 1)
        is_text = (kind == _ARGUMENT and bool(self._formats)) or (kind == _FORMAT and word in self._formats)
        is_known = kind == _REFUSED or is_text
        return (kind, word) if is_known else None

    def status(self) -> Status:
        """Returns the status. Raises :class:`HostError` if the machine has failed."""
        payload = self._request(m.STATUS)
        status = _understood(lambda: Status.read(payload))
        if status.state == State.FAILED:
            raise HostError(f"the board has failed: {status.text}")
        return status

    def whereabouts(self) -> List[Place]:
        """Returns the state and the program counter of each node; empty if no program runs."""
        places: List[Place] = []
        while len(places) < self.nodes:
            first = places[-1].node + 1 if places else 0
            payload = self._request(m.WHERE, struct.pack("<I", first))
            more = _understood(lambda: m.read_places(payload))
            if not more:
                break
            places += more
        return places

    def stop(self) -> None:
        """Ends the run. The program stays loaded."""
        self._inbox.clear()
        self._request(m.STOP)

    def reset(self) -> None:
        """Resets the machine to the state after power-on, without a program."""
        self._inbox.clear()
        self._program = None
        self._request(m.RESET)

    def _check_node(self, node: int) -> None:
        try:
            good = 0 <= operator.index(node) < self.nodes
        except TypeError:
            good = False
        if not good:
            raise HostError(f"node {node!r}; accepted: 0 to {self.nodes - 1}")

    def _fetch(self) -> List[Event]:
        payload = self._request(m.COLLECT, struct.pack("<H", self.about.payload - 4))
        return _understood(lambda: m.read_events(payload[4:]))

    def _fetch_frames(self, frames: int) -> List[Event]:
        """Fetches events in up to this many frames, until there are no more."""
        events: List[Event] = []
        for _ in range(frames):
            more = self._fetch()
            if not more:
                break
            events += more
        return events

    def _image(self, name: str) -> Tuple[bytes, Dict[int, str]]:
        """Returns the bytes of a program given as a file or a name, and the formats of its texts."""
        try:
            return (Path(name).read_bytes(), {}) if name.endswith(".bin") else self._compiled(name)
        except OSError as error:
            raise HostError(f"{name}: {error}") from error

    def _compiled(self, name: str) -> Tuple[bytes, Dict[int, str]]:
        """The bytes and the formats of a program that the program ``phasecube`` knows."""
        tool = find_tool(self._phasecube)
        if tool is None:
            raise HostError(
                f"{name}: phasecube, which compiles it, is not on the path; accepted: its path in "
                "PHASECUBE, or a .bin file of phasecube load NAME --image FILE"
            )
        # Nodes of a simulated board may have larger memories than those of a real one.
        sizes = (self.about.program, self.about.data)
        memory = [] if sizes == _BOARD_MEMORY else ["--memory", "%d,%d" % sizes]
        dims = max(1, (self.nodes - 1).bit_length())
        with tempfile.TemporaryDirectory() as folder:
            image, formats = Path(folder) / "program.bin", Path(folder) / "formats.json"
            files = ["--image", str(image), "--formats", str(formats)]
            done = subprocess.run(
                [tool, "load", *files, *memory, f"--dims={dims}", "--", name],
                capture_output=True,
                text=True,
                errors="replace",
            )
            if done.returncode != 0:
                raise HostError(_error_of(done.stderr))
            texts = json.loads(formats.read_text(encoding="utf-8"))
            return image.read_bytes(), {int(number): text for number, text in texts.items()}

    def _request(self, kind: int, payload: bytes = b"", patience: Optional[float] = None) -> bytes:
        """Sends a request, and returns the payload of the reply. A lost or damaged request is sent
        again; the board executes it once."""
        self._sequence = (self._sequence + 1) & 0xFFFF
        frame = Frame(kind, self._sequence, payload).to_bytes()
        patience = self._patience if patience is None else patience
        begun = sent = time.monotonic()
        garbled = False
        try:
            self._send(frame)
            while True:
                data = self._port.receive(0.05)
                for received in self._receiver.take(data):
                    if isinstance(received, str):
                        self._lines.append(received)
                    elif is_garbled(received):
                        garbled = True
                    elif received.sequence == self._sequence:
                        return _reply(received, kind)
                now = time.monotonic()
                if now - begun >= patience:
                    raise NoAnswer(
                        f"timeout: the board has not answered for {patience:.0f} s{self._printed()}"
                    )
                if now - sent >= _AGAIN or garbled and now - sent >= _AGAIN / 20:
                    sent, garbled = now, False
                    self._send(frame)
        except OSError as error:
            if self._lines and self._lines[-1].startswith("error "):
                raise NoAnswer(f"the board is busy: {self._lines[-1]}") from error
            raise NoAnswer(str(error)) from error

    def _send(self, frame: bytes) -> None:
        """Sends a frame, or the part that the board takes: it will be sent again."""
        with suppress(TimeoutError):
            self._port.send(frame)

    def _printed(self) -> str:
        if not self._lines:
            return "; it may be off, or it may be at another port"
        return (
            f" in frames; its last line is {self._lines[-1]!r}. An image without the host protocol "
            "is for phasecube monitor"
        )


def is_garbled(frame: Frame) -> bool:
    """Returns whether the board reports a frame that it could not read."""
    return frame.kind == m.ERROR and frame.payload[:1] == bytes([m.GARBLED])


def _reply(frame: Frame, kind: int) -> bytes:
    """Checks the reply to a request of this kind, and returns its payload."""
    if frame.version != VERSION:
        raise VersionMismatch(
            f"the board has version {frame.version} of the host protocol; accepted: {VERSION}"
        )
    if frame.kind == m.ERROR and frame.payload:
        raise BoardError(frame.payload[0], frame.payload[1:].decode(errors="replace"))
    if frame.kind != kind | m.REPLY:
        raise HostError(f"the board sent an unexpected reply: kind {frame.kind} to a request of kind {kind}")
    return frame.payload


def _understood(read: Callable[[], T]) -> T:
    """Returns the result of ``read``, and reports an invalid reply as a :class:`HostError`."""
    try:
        return read()
    except (struct.error, IndexError, ValueError) as error:
        raise HostError(f"the board sent an unexpected reply: {error}") from error
