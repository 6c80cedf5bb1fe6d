"""Frames on the line: COBS between zero bytes, with a version, a sequence number and a CRC-32."""

from __future__ import annotations

from binascii import crc32
from typing import List, NamedTuple, Optional, Union

VERSION = 1
"""Version of the protocol."""

PAYLOAD_MAX = 1024
"""Maximum payload of a frame in bytes."""

# Maximum number of bytes between two zeros.
_SEGMENT_MAX = 4 + PAYLOAD_MAX + 4 + 1 + PAYLOAD_MAX // 254 + 1


class Frame(NamedTuple):
    """Content of a frame with a correct CRC."""

    kind: int
    sequence: int
    payload: bytes
    version: int = VERSION

    def to_bytes(self) -> bytes:
        """Returns the encoded frame, with a zero before and after it."""
        body = bytes([self.version, self.kind]) + self.sequence.to_bytes(2, "little") + self.payload
        body += crc32(body).to_bytes(4, "little")
        return b"\0" + cobs_encode(body) + b"\0"


def cobs_encode(data: bytes) -> bytes:
    """Encodes bytes so that they contain no zero: each becomes the distance to the next one."""
    out = bytearray()
    for group in data.split(b"\0"):
        while len(group) >= 254:
            out.append(255)
            out += group[:254]
            group = group[254:]
        out.append(len(group) + 1)
        out += group
    return bytes(out)


def cobs_decode(data: bytes) -> Optional[bytes]:
    """Decodes COBS; ``None`` if the data is invalid."""
    out = bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        group = data[at + 1 : at + code]
        if code == 0 or len(group) != code - 1 or 0 in group:
            return None
        out += group
        at += code
        if code < 255 and at < len(data):
            out.append(0)
    return bytes(out)


class Receiver:
    """Extracts frames and lines of text from received bytes."""

    def __init__(self) -> None:
        self._segment = bytearray()
        self._too_long = False

    def take(self, data: bytes) -> List[Union[Frame, str]]:
        """Returns the frames and lines that these bytes complete, without damaged ones."""
        items: List[Union[Frame, str]] = []
        for byte in data:
            if byte == 0:
                frame = None if self._too_long else _decode(bytes(self._segment))
                self._segment.clear()
                self._too_long = False
                if frame is not None:
                    items.append(frame)
                continue
            if byte in b"\r\n":
                text = bytes(self._segment).lstrip(b"\r\n")
                if text and all(32 <= b < 127 for b in text):
                    if not self._too_long:
                        items.append(text.decode("ascii"))
                    self._segment.clear()
                    self._too_long = False
                    continue
                if not text:
                    # The first byte of a frame may have any value, including LF and CR.
                    self._segment.clear()
                elif len(self._segment) > 1 and self._segment[1] >= 10:
                    # A frame of any version has a second byte below 10.
                    self._segment.clear()
                    self._too_long = False
                    continue
            if len(self._segment) < _SEGMENT_MAX:
                self._segment.append(byte)
            else:
                self._too_long = True
        return items


def _decode(segment: bytes) -> Optional[Frame]:
    body = cobs_decode(segment)
    if body is None or len(body) < 8:
        return None
    content, check = body[:-4], body[-4:]
    if crc32(content).to_bytes(4, "little") != check:
        return None
    return Frame(content[1], int.from_bytes(content[2:4], "little"), content[4:], content[0])
