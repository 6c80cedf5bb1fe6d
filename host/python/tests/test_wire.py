"""Tests of frames: the bytes are the same as in Rust, and damaged frames are rejected."""

import random
import unittest
from types import SimpleNamespace

from phasecube.host.messages import Ended, HostError, Message, NoAnswer, State, VersionMismatch
from phasecube.host.machine import Machine
from phasecube.host.wire import Frame, Receiver, cobs_decode, cobs_encode


class WireTest(unittest.TestCase):
    def test_a_frame_is_these_bytes(self) -> None:
        # The same bytes as in crates/board/src/host/wire.rs.
        expected = bytes.fromhex("00 04 01 01 05 05 0B 26 4D E5 00")
        self.assertEqual(Frame(1, 5, b"").to_bytes(), expected)

    def test_cobs_by_the_published_examples(self) -> None:
        for plain, encoded in [
            ("00", "01 01"),
            ("00 00", "01 01 01"),
            ("11 22 00 33", "03 11 22 02 33"),
            ("11 22 33 44", "05 11 22 33 44"),
            ("11 00 00 00", "02 11 01 01 01"),
        ]:
            self.assertEqual(cobs_encode(bytes.fromhex(plain)), bytes.fromhex(encoded))
            self.assertEqual(cobs_decode(bytes.fromhex(encoded)), bytes.fromhex(plain))
        for wrong in ["00", "03 11", "03 11 00", "05 11 22"]:
            self.assertIsNone(cobs_decode(bytes.fromhex(wrong)))

    def test_frames_of_any_length_come_through(self) -> None:
        drawn = random.Random(1)
        for length in [*range(20), 245, 246, 247, 253, 254, 255, 508, 1024]:
            for fill in (None, 0, 10, 65):
                payload = bytes(drawn.randrange(256) if fill is None else fill for _ in range(length))
                frame = Frame(3, 0x0A0D, payload)
                receiver = Receiver()
                received = [x for byte in frame.to_bytes() for x in receiver.take(bytes([byte]))]
                self.assertEqual(received, [frame])

    def test_no_damaged_frame_is_believed(self) -> None:
        frame, following = Frame(4, 7, b"payload\0\n"), Frame(5, 8, b"")
        data = frame.to_bytes()
        for place in range(1, len(data) - 1):
            for bit in range(8):
                damaged = bytearray(data)
                damaged[place] ^= 1 << bit
                received = Receiver().take(bytes(damaged) + following.to_bytes())
                self.assertNotIn(frame, received)
                self.assertEqual(received[-1], following)

    def test_lines_and_frames_share_a_line(self) -> None:
        frame = Frame(1, 2, b"x")
        data = b"phasecube cube nodes=8\r\nready\n" + frame.to_bytes() + b"ready\n"
        received = Receiver().take(data)
        self.assertEqual(received, ["phasecube cube nodes=8", "ready", frame, "ready"])


class Fake:
    """A port whose other end answers each frame with ``answer``."""

    def __init__(self, answer) -> None:
        self.answer = answer
        self.coming = b""

    def send(self, data: bytes) -> None:
        for frame in Receiver().take(data):
            self.coming += self.answer(frame)

    def receive(self, seconds: float) -> bytes:
        came, self.coming = self.coming, b""
        return came

    def close(self) -> None:
        pass


class OtherBoards(unittest.TestCase):
    def test_another_version_is_reported(self) -> None:
        other = Fake(lambda frame: frame._replace(version=2).to_bytes())
        with self.assertRaisesRegex(VersionMismatch, "version 2 .* accepted: 1"):
            Machine(other)

    def test_what_was_not_asked_for_is_not_believed(self) -> None:
        for kind, payload in [(0x82, b""), (0x81, b""), (0x81, b"123")]:
            other = Fake(lambda frame: Frame(kind, frame.sequence, payload).to_bytes())
            with self.assertRaisesRegex(HostError, "unexpected reply"):
                Machine(other)

    def test_a_dropped_message_is_no_value(self) -> None:
        class Dropping(Machine):
            nodes = 2

            def __init__(self, delivered: bool) -> None:
                # The bytes of a report of the runtime about a text.
                self._formats = {1: "text"}
                self.event = Message(1, 7, bytes.fromhex("C5FD01000000"), delivered)

            def collect_streaming(self):
                return iter([self.event])

            def status(self):
                return SimpleNamespace(state=State.ENDED)

        machine = Dropping(delivered=False)
        results = machine.collect()
        self.assertEqual((results.values, results.prints), ([[], []], []))
        self.assertEqual(results.dropped, [machine.event])
        reported = Dropping(delivered=True).collect()
        self.assertEqual((len(reported.prints), reported.dropped), (1, []))

    def test_a_refused_call_is_no_value(self) -> None:
        class Refusing(Machine):
            nodes = 2

            def __init__(self) -> None:
                self._formats = {}

            def collect_streaming(self):
                return iter([Message(1, 7, bytes.fromhex("C5FB28000000"))] * 3 + [Ended(0, 8, 0), Ended(1, 8, 0)])

            def status(self):
                return SimpleNamespace(state=State.ENDED)

        results = Refusing().collect()
        self.assertEqual((results.values, results.refused), ([[], []], {1: 3}))
        self.assertFalse(results.ok)

    def test_nobody_there_is_reported(self) -> None:
        with self.assertRaisesRegex(NoAnswer, "phasecube board listens"):
            Machine("tcp:127.0.0.1:1")


if __name__ == "__main__":
    unittest.main()
