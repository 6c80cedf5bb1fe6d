"""What a board is asked and what it answers, and what can go wrong."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import List, Union

HELLO, LOAD, START, SEND, FINISH, COLLECT, STATUS, WHERE, STOP, RESET = range(1, 11)
"""Kinds of requests. That of a reply has the highest bit, too."""

REPLY = 0x80
ERROR = 0xFF
GARBLED = 2
FULL = 9

ALL = 0xFFFFFFFF
"""In place of a node: all of them."""

LOAD_HEADER = 12
"""Bytes of a LOAD that are no program."""

SEND_HEADER = 5
"""Bytes of a message in a frame beside its own: its node, its length."""


class HostError(Exception):
    """Why a board does not do what it is asked for."""


class NoAnswer(HostError):
    """Nothing that can be believed has come for some time, or the line is at its end."""


class VersionMismatch(HostError):
    """The board speaks another version of the protocol."""


class BoardError(HostError):
    """The board refuses; the text is its own."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"the board refuses: {text}")
        self.code = code
        self.text = text


class State(IntEnum):
    """What a board is at."""

    EMPTY = 0
    LOADING = 1
    LOADED = 2
    STARTING = 3
    RUNNING = 4
    RESTING = 5
    """Nothing moves any more; the clock stands still until a message comes."""
    ENDED = 6
    """Every program has ended or halted."""
    FAILED = 7

    @property
    def is_at_work(self) -> bool:
        """Whether programs can still tell something without being given more."""
        return self in (State.STARTING, State.RUNNING)


@dataclass(frozen=True)
class About:
    """What a board is."""

    payload: int
    """Bytes of payload of a frame that it takes, at most."""
    dims: int
    nodes: int
    program: int
    """Bytes of a node's program store."""
    data: int
    """Bytes of a node's data memory, stack included."""
    message: int
    """Bytes of a message between a node and its host, at most."""
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
    """``ctrl_send``; or, of a router, a message that has come home."""

    node: int
    phase: int
    """Phases that were over."""
    data: bytes
    delivered: bool = True
    """A router has given it up, if not."""

    @property
    def values(self) -> List[Union[int, bytes]]:
        """Words with a sign, 4 bytes each, low byte first; or all of it, if it has another length."""
        if len(self.data) % 4:
            return [self.data]
        return list(struct.unpack(f"<{len(self.data) // 4}i", self.data))


@dataclass(frozen=True)
class Ended:
    """The program of a node has ended, with this code."""

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
    """As in ``mcause`` of RISC-V: 0 misaligned jump, 2 illegal instruction, 3 ebreak,
    4 misaligned load, 6 misaligned store, 11 ecall."""
    instruction: int


Event = Union[Message, Ended, Trap]


def read_events(payload: bytes) -> List[Event]:
    """What stands behind the count in the reply to a COLLECT."""
    events: List[Event] = []
    at = 0
    while at < len(payload):
        tag, node, phase = struct.unpack_from("<BII", payload, at)
        at += 9
        if tag <= 2:
            length = payload[at]
            data = payload[at + 1 : at + 1 + length]
            if len(data) != length:
                raise struct.error("a message is cut")
            events.append(Message(node, phase, data, tag == 0))
            at += 1 + length
        elif tag == 3:
            events.append(Ended(node, phase, payload[at]))
            at += 1
        elif tag == 4:
            events.append(Trap(node, phase, *struct.unpack_from("<IBI", payload, at)))
            at += 9
        else:
            raise struct.error(f"there is no event {tag}")
    return events


@dataclass(frozen=True)
class Status:
    """How things stand on a board."""

    state: State
    ended: int
    halted: int
    given: int
    told: int
    phases: int
    clock_cycles: int
    hops: int
    crc: int
    text: str

    @classmethod
    def read(cls, payload: bytes) -> "Status":
        state, *numbers = struct.unpack_from("<BIIIIQQQI", payload)
        return cls(State(state), *numbers, text=payload[45:].decode())


@dataclass(frozen=True)
class Place:
    """Where the program of a node is."""

    node: int
    state: str
    """``asleep``, ``awake`` or ``halted``."""
    pc: int


def read_places(payload: bytes) -> List[Place]:
    """The reply to a WHERE."""
    states = ("asleep", "awake", "halted")
    return [Place(node, states[state], pc) for node, state, pc in struct.iter_unpack("<IBI", payload)]
