"""Connections to a board: TCP, or a serial port."""

from __future__ import annotations

import os
import select
import socket
import time
from contextlib import contextmanager, suppress
from importlib import import_module
from ipaddress import IPv6Address
from typing import Any, Iterator, Optional, Protocol, Tuple, Type

from .messages import NoAnswer

BAUD = 1_000_000

WRITE_SECONDS = 2.0
"""Seconds without an accepted byte after which ``send`` raises ``TimeoutError``."""

_ERRORS: Tuple[Type[BaseException], ...] = (OSError, ValueError)
try:
    import termios

    # Not a subclass of OSError.
    _ERRORS += (termios.error,)
except ImportError:
    pass


class Port(Protocol):
    """An open connection. Its methods raise ``OSError`` if it fails."""

    def send(self, data: bytes) -> None:
        """Sends bytes. Raises ``TimeoutError`` if the board accepts nothing for some time."""

    def receive(self, seconds: float) -> bytes:
        """Returns the bytes that arrive within this time, or none after the timeout."""

    def close(self) -> None: ...


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Raises all errors of serial ports as ``OSError``."""
    try:
        yield
    except OSError:
        raise
    except _ERRORS as error:
        raise OSError(str(error)) from error


class TcpPort:
    """Connection to the TCP port of ``phasecube board``."""

    def __init__(self, host: str, port: int) -> None:
        try:
            self._socket = socket.create_connection((host, port), 10)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError, OverflowError) as error:
            shown = f"[{host}]" if ":" in host else host
            raise NoAnswer(
                f"tcp:{shown}:{port}: {error}; accepted: an address at which phasecube board "
                "listens"
            ) from error

    def send(self, data: bytes) -> None:
        self._socket.settimeout(WRITE_SECONDS)
        try:
            self._socket.sendall(data)
        except socket.timeout as error:
            # A separate class before Python 3.10.
            raise TimeoutError(str(error)) from error

    def receive(self, seconds: float) -> bytes:
        self._socket.settimeout(seconds)
        try:
            data = self._socket.recv(65536)
        except socket.timeout:
            return b""
        if not data:
            raise ConnectionError("the board has closed the connection")
        return data

    def close(self) -> None:
        with suppress(OSError):
            self._socket.close()


class SerialPort:
    """A serial port or a pseudo-terminal. Without pyserial, a pseudo-terminal only."""

    def __init__(self, path: str) -> None:
        self._serial: Any = None
        self._file: Optional[int] = None
        serial: Any = None
        with suppress(ImportError):
            serial = import_module("serial")
        if serial is None and not path.startswith("/dev/pts/"):
            raise NoAnswer(
                f"{path}: a serial port needs pyserial (pip install pyserial); "
                "accepted without it: tcp:PORT"
            )
        try:
            if serial is None:
                self._file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            else:
                self._timeout = serial.SerialTimeoutException
                self._serial = serial.Serial(path, BAUD, write_timeout=WRITE_SECONDS)
        except _ERRORS as error:
            raise NoAnswer(f"{path}: {error}") from error

    def send(self, data: bytes) -> None:
        with _as_os_error():
            if self._serial is not None:
                try:
                    self._serial.write(data)
                except self._timeout as error:
                    raise TimeoutError(str(error)) from error
                return
            file = self._open()
            end = time.monotonic() + WRITE_SECONDS
            while data:
                _, ready, _ = select.select([], [file], [], max(0.0, end - time.monotonic()))
                if not ready:
                    raise TimeoutError(f"the board has accepted no bytes for {WRITE_SECONDS:.0f} s")
                with suppress(BlockingIOError):
                    data = data[os.write(file, data) :]

    def receive(self, seconds: float) -> bytes:
        with _as_os_error():
            if self._serial is not None:
                self._serial.timeout = seconds
                first = self._serial.read(1)
                return first + self._serial.read(self._serial.in_waiting) if first else b""
            file = self._open()
            ready, _, _ = select.select([file], [], [], seconds)
            if not ready:
                return b""
            try:
                data = os.read(file, 65536)
            except BlockingIOError:
                # A terminal that was ready may have no bytes.
                return b""
            if not data:
                raise ConnectionError("the board has closed the connection")
            return data

    def close(self) -> None:
        with suppress(*_ERRORS):
            if self._serial is not None:
                self._serial.close()
            elif self._file is not None:
                # The number may belong to another file after the close.
                file, self._file = self._file, None
                os.close(file)

    def _open(self) -> int:
        if self._file is None:
            raise ConnectionError("the port is closed")
        return self._file


def tcp_address(name: str) -> Tuple[str, int]:
    """Returns host and port of ``tcp:PORT``, ``tcp:HOST:PORT`` or ``tcp:[IPV6]:PORT``.

    The program ``phasecube`` has the same grammar. Raises :class:`NoAnswer` for other texts.
    """
    host, colon, port = name[len("tcp:") :].rpartition(":")
    if not colon:
        host = "127.0.0.1"
    in_brackets = host.startswith("[") and host.endswith("]")
    if in_brackets:
        host = host[1:-1]
    good = port.isascii() and port.isdigit() and int(port) < 2**16
    if in_brackets or ":" in host:
        try:
            # The interface of a link-local address follows the %.
            IPv6Address(host.split("%")[0])
        except ValueError:
            good = False
    elif not host or "[" in host or "]" in host:
        good = False
    if not good:
        raise NoAnswer(
            f"{name!r} is not an address; accepted: tcp:PORT, tcp:HOST:PORT or tcp:[IPV6]:PORT"
        )
    return host, int(port)


def open_port(name: str) -> Port:
    """Opens ``tcp:PORT``, ``tcp:HOST:PORT``, ``tcp:[IPV6]:PORT``, or a serial port. The prefix
    ``tcp:`` can be omitted before a host."""
    _, colon, number = name.rpartition(":")
    is_address = bool(colon) and number.isascii() and number.isdigit() and "/" not in name
    if name.startswith("tcp:"):
        return TcpPort(*tcp_address(name))
    if is_address:
        return TcpPort(*tcp_address("tcp:" + name))
    return SerialPort(name)
