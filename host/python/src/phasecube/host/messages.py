"""Requests to a board, its replies, and errors."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import List, Union

HELLO, LOAD, START, SEND, FINISH, COLLECT, STATUS, WHERE, STOP, RESET = range(1, 11)
"""Kinds of requests. The kind of a reply also has bit 7."""

REPLY = 0x80
ERROR = 0xFF
GARBLED = 2
FULL = 9

ALL = 0xFFFFFFFF
"""Node number that means all nodes."""

LOAD_HEADER = 12
"""Bytes of a LOAD before the piece of the program: offset, total length and CRC."""

SEND_HEADER = 5
"""Additional bytes of a message in a frame: its node and its length."""


class HostError(Exception):
    """A request failed."""


class NoAnswer(HostError):
    """No valid reply arrived before the timeout, or the connection is closed."""


class VersionMismatch(HostError):
    """The board has another version of the protocol."""


class BoardError(HostError):
    """The board rejects a request. The text is from the board."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"the board rejects the request: {text}")
        self.code = code
        self.text = text


class State(IntEnum):
    """State of a board."""

    EMPTY = 0
    LOADING = 1
    LOADED = 2
    STARTING = 3
    RUNNING = 4
    RESTING = 5
    """The machine stalls. The clock stops until a message arrives."""
    ENDED = 6
    """Every program has ended or halted."""
    FAILED = 7

    @property
    def is_at_work(self) -> bool:
        """True if programs can still send events without further messages."""
        return self in (State.STARTING, State.RUNNING)


@dataclass(frozen=True)
class About:
    """Description of a board."""

    payload: int
    """Maximum payload of a frame in bytes."""
    dims: int
    nodes: int
    program: int
    """Size of a node's program store in bytes."""
    data: int
    """Size of a node's data memory in bytes, including the stack."""
    message: int
    """Maximum size of a message between a node and its host in bytes."""
    network: str
    name: str

    @classmethod
    def read(cls, payload: bytes) -> "About":
        size, dims, nodes, program, data, message, length = struct.unpack_from("<HBIIIBB", payload)
        text = payload[17:]
        return cls(
            size, dims, nodes, program, data, message,
            text[:length].decode(), text[length:].decode(),
        )


@dataclass(frozen=True)
class Message:
    """Message from ``ctrl_send``, or one that a router has delivered or returned."""

    node: int
    phase: int
    """Number of phases completed before the message."""
    data: bytes
    delivered: bool = True
    """False if a router returned the message as undelivered or unknown."""

    @property
    def values(self) -> List[Union[int, bytes]]:
        """Signed words of 4 bytes, low byte first, or the whole data if its length does not fit."""
        if len(self.data) % 4:
            return [self.data]
        return list(struct.unpack(f"<{len(self.data) // 4}i", self.data))


@dataclass(frozen=True)
class Text:
    """Text of ``ctrl_print``."""

    node: int
    phase: int
    text: str


@dataclass(frozen=True)
class Ended:
    """The program of a node has ended with this exit code."""

    node: int
    phase: int
    code: int


@dataclass(frozen=True)
class Trap:
    """The core of a node has halted."""

    node: int
    phase: int
    pc: int
    cause: int
    """Cause as in ``mcause`` of RISC-V: 0 misaligned jump, 2 illegal instruction, 3 ebreak,
    4 misaligned load, 6 misaligned store, 11 ecall."""
    instruction: int


Event = Union[Message, Ended, Trap]


def read_events(payload: bytes) -> List[Event]:
    """Parses the events in the reply to a COLLECT, without the count before them."""
    events: List[Event] = []
    at = 0
    while at < len(payload):
        tag, node, phase = struct.unpack_from("<BII", payload, at)
        at += 9
        if tag <= 2:
            length = payload[at]
            data = payload[at + 1 : at + 1 + length]
            if len(data) != length:
                raise struct.error("a message is truncated")
            events.append(Message(node, phase, data, tag == 0))
            at += 1 + length
        elif tag == 3:
            events.append(Ended(node, phase, payload[at]))
            at += 1
        elif tag == 4:
            events.append(Trap(node, phase, *struct.unpack_from("<IBI", payload, at)))
            at += 9
        else:
            raise struct.error(f"unknown event {tag}")
    return events


@dataclass(frozen=True)
class Status:
    """Status of a board."""

    state: State
    ended: int
    halted: int
    waiting: int
    uncollected: int
    phases: int
    clock_cycles: int
    hops: int
    crc: int
    text: str

    @property
    def given(self) -> int:
        """Earlier name of `waiting`. It is removed in the next release."""
        return self.waiting

    @property
    def told(self) -> int:
        """Earlier name of `uncollected`. It is removed in the next release."""
        return self.uncollected

    @classmethod
    def read(cls, payload: bytes) -> "Status":
        numbers = struct.unpack_from("<BIIIIQQQI", payload)
        state, ended, halted, waiting, uncollected, phases, clock_cycles, hops, crc = numbers
        text = payload[45:].decode()
        return cls(State(state), ended, halted, waiting, uncollected, phases, clock_cycles, hops, crc, text)


@dataclass(frozen=True)
class Place:
    """State and program counter of a node's program."""

    node: int
    state: str
    """``asleep``, ``awake`` or ``halted``."""
    pc: int


def read_places(payload: bytes) -> List[Place]:
    """Parses the reply to a WHERE."""
    states = ("asleep", "awake", "halted")
    return [Place(node, states[state], pc) for node, state, pc in struct.iter_unpack("<IBI", payload)]
