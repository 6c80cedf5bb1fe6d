"""Tests of the client with a simulated board: a 4-cube at the port in PHASECUBE_PORT, and the
program phasecube in PHASECUBE. `cargo sim host::python` starts the board and runs these tests."""

import os
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from phasecube.host import BoardError, HostError, Message, NoAnswer, State, Machine
from phasecube.host.port import tcp_address

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import life  # noqa: E402

PORT = os.environ.get("PHASECUBE_PORT", "")


class SimulateTest(unittest.TestCase):
    def test_a_machine_starts_and_stops(self) -> None:
        with Machine.simulate(dims=2, payload=8) as machine:
            board = machine._board
            self.assertEqual((machine.nodes, board.poll()), (4, None))
            machine.load("all_reduce")
            self.assertEqual(machine.run([[n] for n in range(4)]).values, [[6, 0, 3]] * 4)
        # 143: the board ends after SIGTERM, as it should.
        self.assertEqual(board.poll(), 143)
        for flags, says in [({"dims": 17}, "17"), ({"nothing": 1}, "--nothing")]:
            with self.assertRaisesRegex(HostError, says):
                # A board that starts against expectation is stopped.
                Machine.simulate(**flags).close()

    def test_starc_is_translated_for_the_machine(self) -> None:
        source = """void main() {
            pvar<int> value, sum;
            load_from_host(&value, 1);
            exchange { sum = scan_sum_inclusive(value); }
            store_to_host(&sum, 1);
        }"""
        with TemporaryDirectory() as folder:
            program = Path(folder) / "sums.starc"
            program.write_text(source)
            with Machine.simulate(dims=2, memory="16K,4K") as machine:
                machine.load(program)
                results = machine.run([[n] for n in (5, 6, 7, 8)])
        self.assertEqual((results.values, results.exits), ([[5], [11], [18], [26]], [0] * 4))


@unittest.skipUnless(PORT, "PHASECUBE_PORT says where a board is")
class MachineTest(unittest.TestCase):
    def setUp(self) -> None:
        self.machine = Machine(PORT)
        self.addCleanup(self.machine.close)

    def test_who_it_is(self) -> None:
        about = self.machine.about
        self.assertEqual((about.dims, about.nodes, about.program), (4, 16, 2048))
        self.assertEqual((about.network, about.name), ("tdma", "simulated 4-cube"))

    def test_a_host_and_a_port_are_tcp(self) -> None:
        self.machine.close()
        with Machine("%s:%d" % tcp_address(PORT)) as machine:
            self.assertEqual(machine.nodes, 16)

    def test_a_program_runs_on_data(self) -> None:
        self.machine.load("all_reduce")
        for factor in (1, -70000):
            numbers = [factor * (node - 5) for node in range(16)]
            results = self.machine.run([[number] for number in numbers])
            self.assertEqual(results.values, [[sum(numbers), min(numbers), max(numbers)]] * 16)
            self.assertEqual((results.exits, results.state), ([0] * 16, State.ENDED))
            self.assertTrue(results.ok)

    def test_results_come_while_it_runs(self) -> None:
        self.machine.load("all_reduce")
        self.machine.start()
        for step in (1, 2):
            self.machine.send_all((node, bytes([step * node, 0, 0, 0])) for node in range(16))
            reported = {}
            for event in self.machine.collect_streaming():
                self.assertIsInstance(event, Message)
                reported.setdefault(event.node, []).extend(event.values)
            self.assertEqual(reported, {node: [120 * step, 0, 15 * step] for node in range(16)})
        self.machine.finish()
        self.assertEqual(self.machine.collect().exits, [0] * 16)

    def test_messages_go_through_the_machine(self) -> None:
        self.machine.load("route")
        self.machine.start()
        for source in range(16):
            self.machine.send_through(source, 15 - source, bytes([source, 0, 10]))
        events = list(self.machine.collect_streaming())
        reported = {event.node: event.data for event in events}
        self.assertEqual(reported, {to: bytes([to, 0, 15 - to, 0, 10]) for to in range(16)})
        self.assertEqual(self.machine.status().hops, 16 * 4)

    def test_a_trap_is_reported(self) -> None:
        # nop, ebreak
        self.machine.load(bytes.fromhex("13000000 73001000"))
        results = self.machine.run()
        self.assertEqual(len(results.traps), 16)
        trap = results.traps[3]
        self.assertEqual((trap.node, trap.pc, trap.cause, trap.instruction), (3, 4, 3, 0x100073))
        self.assertFalse(results.ok)

    def test_who_hangs_is_reported(self) -> None:
        self.machine.load("all_reduce")
        results = self.machine.run({node: [1] for node in range(15)})
        self.assertEqual(results.state, State.RESTING)
        # Only the node without a number to reduce has ended.
        self.assertEqual(results.exits, [None] * 15 + [0])
        places = self.machine.whereabouts()
        self.assertEqual([place.node for place in places], list(range(16)))
        self.assertEqual({place.state for place in places}, {"asleep"})

    def test_what_does_not_fit_is_reported(self) -> None:
        with self.assertRaisesRegex(HostError, "2052 bytes; accepted: up to 2048"):
            self.machine.load(bytes(2052))
        with self.assertRaisesRegex(HostError, "load one first"):
            self.machine.start()
        with self.assertRaisesRegex(HostError, "^invalid value 'nothing'.* there is no program"):
            self.machine.load("nothing")
        with self.assertRaisesRegex(HostError, "the program is 3; accepted: a name, .*, or the bytes"):
            self.machine.load(3)  # type: ignore[arg-type]
        self.machine.load("route")
        self.machine.start()
        for node, message, says in [
            (16, b"x", "accepted: 0 to 15"),
            ("1", b"x", "node '1'; accepted: 0 to 15"),
            (0, b"", "0 bytes; accepted: 1 to 10"),
            (0, 2**32, "not a word"),
        ]:
            with self.assertRaisesRegex(HostError, says):
                self.machine.send(node, message)
        with self.assertRaisesRegex(HostError, "the payload is 'x'; accepted: bytes"):
            self.machine.send_through(0, 1, "x")  # type: ignore[arg-type]
        self.machine.finish()
        with self.assertRaisesRegex(BoardError, "has ended"):
            self.machine.send(0, 1)
        self.machine.stop()
        self.assertEqual(self.machine.status().state, State.LOADED)
        self.machine.reset()
        self.assertEqual(self.machine.status().state, State.EMPTY)

    def test_a_second_client_is_reported(self) -> None:
        with self.assertRaisesRegex(NoAnswer, "another client has the board"):
            Machine(PORT)

    def test_life(self) -> None:
        """Checks the example against the rule of the game."""
        self.machine.load("life")
        grid = life.beginning(4, seed=3)
        grids = list(life.generations(self.machine, grid, 3))
        self.assertEqual(len(grids), 4)
        for before, after in zip(grids, grids[1:]):
            rows, columns = len(before), len(before[0])
            for y in range(rows):
                for x in range(columns):
                    around = sum(
                        before[(y + dy) % rows][(x + dx) % columns]
                        for dy in (-1, 0, 1)
                        for dx in (-1, 0, 1)
                        if dy or dx
                    )
                    alive = around == 3 or (around == 2 and before[y][x])
                    self.assertEqual(after[y][x], int(alive))
        self.assertNotEqual(grids[0], grids[1])


if __name__ == "__main__":
    unittest.main()
