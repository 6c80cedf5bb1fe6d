"""Connections to a board: TCP, or a serial port."""

from __future__ import annotations

import os
import select
import socket
from typing import Any, Protocol

from .messages import NoAnswer

BAUD = 1_000_000


class Port(Protocol):
    """An open connection."""

    def send(self, data: bytes) -> None: ...

    def receive(self, seconds: float) -> bytes:
        """Returns the bytes that arrive within this time, or none after the timeout."""

    def close(self) -> None: ...


class TcpPort:
    """Connection to the TCP port of ``phasecube board``."""

    def __init__(self, place: str) -> None:
        host, _, port = place.rpartition(":")
        try:
            self._socket = socket.create_connection((host or "127.0.0.1", int(port)), 10)
        except (OSError, ValueError) as error:
            raise NoAnswer(
                f"tcp:{place}: {error}; accepted: tcp:PORT or tcp:HOST:PORT at which phasecube "
                "board listens"
            ) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        self._socket.settimeout(10)
        self._socket.sendall(data)

    def receive(self, seconds: float) -> bytes:
        self._socket.settimeout(seconds)
        try:
            data = self._socket.recv(65536)
        except socket.timeout:
            return b""
        if not data:
            raise ConnectionError("the board is gone")
        return data

    def close(self) -> None:
        self._socket.close()


class SerialPort:
    """A serial port or a pseudo-terminal. Without pyserial, a pseudo-terminal only."""

    def __init__(self, path: str) -> None:
        self._serial: Any = None
        try:
            import serial
        except ImportError:
            if not path.startswith("/dev/pts/"):
                raise NoAnswer(
                    f"{path}: a serial port needs pyserial (pip install pyserial); "
                    "accepted without it: tcp:PORT"
                ) from None
            self._file = os.open(path, os.O_RDWR | os.O_NOCTTY)
            return
        try:
            self._serial = serial.Serial(path, BAUD)
        except (OSError, ValueError) as error:
            raise NoAnswer(f"{path}: {error}") from error

    def send(self, data: bytes) -> None:
        if self._serial is not None:
            self._serial.write(data)
            self._serial.flush()
            return
        while data:
            data = data[os.write(self._file, data) :]

    def receive(self, seconds: float) -> bytes:
        if self._serial is not None:
            self._serial.timeout = seconds
            first = self._serial.read(1)
            return first + self._serial.read(self._serial.in_waiting) if first else b""
        ready, _, _ = select.select([self._file], [], [], seconds)
        return os.read(self._file, 65536) if ready else b""

    def close(self) -> None:
        if self._serial is not None:
            self._serial.close()
        else:
            os.close(self._file)


def open_port(name: str) -> Port:
    """Opens ``tcp:PORT``, ``tcp:HOST:PORT``, or a serial port."""
    if name.startswith("tcp:"):
        return TcpPort(name[4:])
    return SerialPort(name)
