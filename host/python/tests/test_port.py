"""Tests of failing connections: every error is a HostError, and no call hangs."""

import os
import sys
import threading
import time
import types
import unittest
from contextlib import suppress
from pathlib import Path
from unittest import mock

from phasecube.host import HostError, NoAnswer, Machine, port
from phasecube.host import messages as m
from phasecube.host.port import SerialPort, TcpPort, open_port, tcp_address
from phasecube.host.wire import Frame, Receiver

ABOUT = bytes.fromhex("0002 01 02000000 00080000 00020000 0A 04") + b"tdmapretended"


class Addresses(unittest.TestCase):
    def test_they_are_those_of_the_table(self) -> None:
        """Checks the table that the tests in Rust also read."""
        table = (Path(__file__).parent / "addresses.txt").read_text()
        rows = [line.split() for line in table.splitlines() if not line.startswith("#")]
        for text, *read in rows:
            with self.subTest(text):
                if read:
                    self.assertEqual(tcp_address(text), (read[0], int(read[1])))
                else:
                    with self.assertRaisesRegex(NoAnswer, r"accepted: .* or tcp:\[IPV6\]:PORT"):
                        Machine(text)
        self.assertGreater(sum(len(row) == 3 for row in rows), 5)


def answers(frame: Frame) -> bytes:
    """Returns the reply of a board with one node to a request."""
    payload = {m.HELLO: ABOUT, m.COLLECT: bytes(4), m.STATUS: bytes([6]) + bytes(44)}
    reply = payload.get(frame.kind, b"")
    return Frame(frame.kind | m.REPLY, frame.sequence, reply).to_bytes()


class Board:
    """Board that answers at one end of a connection until it is stopped."""

    def __init__(self, read, write) -> None:
        self.stopped = threading.Event()
        self._read, self._write = read, write
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        receiver = Receiver()
        # Until the line is closed.
        with suppress(OSError):
            while not self.stopped.is_set():
                for frame in receiver.take(self._read()):
                    self._write(answers(frame))
                    if frame.kind == m.STOP:
                        self.stopped.set()


class Pty:
    """Pseudo-terminal with a board at the other end."""

    def __init__(self, case: unittest.TestCase) -> None:
        import pty
        import tty

        self.board_end, client = pty.openpty()
        tty.setraw(client)
        self.path = os.ttyname(client)
        self.board = Board(lambda: os.read(self.board_end, 4096), lambda b: os.write(self.board_end, b))
        case.addCleanup(os.close, self.board_end)
        case.addCleanup(os.close, client)


class FakeSerial(types.ModuleType):
    """The part of pyserial that the client uses, on a separate file."""

    SerialException = type("SerialException", (OSError,), {})
    SerialTimeoutException = type("SerialTimeoutException", (SerialException,), {})
    opening = None

    def Serial(self, path, baud, write_timeout=None):
        if self.opening is not None:
            raise self.opening
        outer, real = self, SerialPort.__new__(SerialPort)
        real._serial, real._file = None, os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

        class Line:
            in_waiting = 65536
            timeout = None
            failing = None

            def write(self, data):
                if self.failing is not None:
                    raise self.failing
                assert write_timeout is not None, "a write that may last for ever"
                try:
                    real.send(data)
                except TimeoutError:
                    raise outer.SerialTimeoutException("Write timeout") from None

            def read(self, count):
                return real.receive(self.timeout if count == 1 else 0)

            def close(self):
                real.close()

        return Line()


@unittest.skipUnless(hasattr(os, "ttyname"), "pseudo-terminals are of Unix")
class Lines(unittest.TestCase):
    """Tests with each kind of connection: TCP, a pseudo-terminal, and a pseudo-terminal by pyserial."""

    def serial(self):
        return mock.patch.dict(sys.modules, {"serial": FakeSerial("serial")})

    def without_serial(self):
        return mock.patch.dict(sys.modules, {"serial": None})

    def tcp(self):
        import socket

        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        client = TcpPort(*listener.getsockname())
        end, _ = listener.accept()
        self.addCleanup(end.close)
        self.addCleanup(client.close)
        return client, Board(lambda: end.recv(4096), end.sendall)

    def lines(self):
        """Yields the client's end of each kind of connection, and the board at the other end."""
        yield "tcp", *self.tcp()
        for name, patched in [("pty", self.without_serial()), ("pyserial", self.serial())]:
            pty = Pty(self)
            with patched:
                line = open_port(pty.path)
            self.addCleanup(line.close)
            yield name, line, pty.board

    def test_a_board_that_stops_is_reported(self) -> None:
        for name, line, _ in self.lines():
            with self.subTest(name), mock.patch.object(port, "WRITE_SECONDS", 0.1):
                board = Machine(line)
                board.stop()
                board._patience = 0.4
                began = time.monotonic()
                with self.assertRaisesRegex(NoAnswer, "has not answered"):
                    board.load(bytes(1500))
                # The line is full, and a write waits.
                with self.assertRaises(TimeoutError):
                    for _ in range(100000):
                        line.send(bytes(1024))
                with self.assertRaisesRegex(NoAnswer, "has not answered"):
                    board.load(bytes(1500))
                self.assertLess(time.monotonic() - began, 20)

    def test_who_closes_twice_or_asks_afterwards_is_reported(self) -> None:
        for name, line, _ in self.lines():
            with self.subTest(name):
                with Machine(line) as board:
                    board.close()
                with self.assertRaises(HostError):
                    board.status()

    def test_a_line_that_fails_is_reported(self) -> None:
        termios = port._ERRORS[-1]
        for error in [OSError("gone"), ValueError("no rate"), termios(5, "Input/output error")]:
            pty = Pty(self)
            with self.serial(), self.subTest(repr(error)):
                sys.modules["serial"].opening = error
                with self.assertRaisesRegex(NoAnswer, str(pty.path)):
                    Machine(pty.path)
                sys.modules["serial"].opening = None
                board = Machine(pty.path)
                self.addCleanup(board.close)
                board._port._serial.failing = error
                with self.assertRaises(NoAnswer):
                    board.status()
        for patched in [self.serial(), self.without_serial()]:
            with patched, self.assertRaisesRegex(NoAnswer, "/dev/pts/9999"):
                Machine("/dev/pts/9999")


class Number:
    """Integer of another library, similar to those of numpy."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Array:
    """Rows without a truth value, similar to numpy arrays."""

    def __init__(self, *rows) -> None:
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of an array with more than one element is ambiguous")


class Pretended:
    """Connection within this process, with a board at the other end."""

    def __init__(self) -> None:
        self.coming = b""
        self.requested = []

    def send(self, data: bytes) -> None:
        for frame in Receiver().take(data):
            self.requested.append(frame)
            self.coming += answers(frame)

    def receive(self, seconds: float) -> bytes:
        came, self.coming = self.coming, b""
        return came

    def close(self) -> None:
        pass


class Arguments(unittest.TestCase):
    def setUp(self) -> None:
        self.line = Pretended()
        self.board = Machine(self.line)
        self.board.load(bytes(64))

    def sent(self):
        frames = [frame.payload for frame in self.line.requested if frame.kind == m.SEND]
        return b"".join(frames)

    def test_rows_of_other_libraries_are_taken(self) -> None:
        arrays = [Array(Array(Number(1)), Array(Number(-2))), [[1], [-2]], {0: [1], Number(1): [-2]}]
        try:
            import numpy

            arrays.append(numpy.array([[1], [-2]]))
        except ImportError:
            pass
        sent = set()
        for data in arrays:
            self.line.requested.clear()
            self.board.run(data)
            sent.add(self.sent())
        one = bytes.fromhex("00000000 04 01000000 01000000 04 FEFFFFFF")
        self.assertEqual(sent, {one})
        self.line.requested.clear()
        self.board.run(Array())
        self.assertEqual(self.sent(), b"")

    def test_bytes_of_any_kind_are_taken(self) -> None:
        for kind in (bytes, bytearray, memoryview):
            self.line.requested.clear()
            self.board.load(kind(bytes(range(8))))
            self.board.start()
            self.board.send(1, kind(b"abc"))
            self.assertEqual(self.sent(), bytes.fromhex("01000000 03 616263"))

    def test_what_is_wrong_with_data_is_reported(self) -> None:
        for data in [5, [1, 2], [[1.5]], [["1"]], [[None]], [[2**32]], {5: [1]}, {"a": [1]}, {0.5: [1]}]:
            with self.subTest(data), self.assertRaisesRegex(HostError, "accepted: "):
                self.board.run(data)

    def test_what_is_wrong_with_a_program_is_reported(self) -> None:
        with self.assertRaisesRegex(HostError, "no/such.bin"):
            self.board.load("no/such.bin")
        with self.assertRaisesRegex(HostError, "no/such.bin"):
            self.board.load(Path("no/such.bin"))
        for tool in ["/nonexistent/phasecube", str(Path(__file__))]:
            self.board._phasecube = tool
            with self.assertRaisesRegex(HostError, "route: "):
                self.board.load("route")
        self.board._phasecube = sys.executable
        with self.assertRaises(HostError):
            self.board.load("route")

    def test_a_board_without_room_is_not_believed(self) -> None:
        for about in [bytes(2) + ABOUT[2:], ABOUT[:3] + bytes(4) + ABOUT[7:]]:
            with mock.patch(f"{__name__}.ABOUT", about), self.assertRaisesRegex(HostError, "unexpected reply"):
                Machine(Pretended())


if __name__ == "__main__":
    unittest.main()
