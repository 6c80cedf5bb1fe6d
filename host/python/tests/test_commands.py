"""Tests of the commands as functions, with the program phasecube in PHASECUBE."""

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import phasecube
from phasecube import _program
from phasecube.commands import COMMANDS

HAS_PROGRAM = bool(os.environ.get("PHASECUBE"))


def report(*words: str) -> dict:
    done = subprocess.run([os.environ["PHASECUBE"], *words, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def without_time(values: dict) -> dict:
    return {key: values[key] for key in values if key not in ("wall_seconds", "node_cycles_per_second")}


class ArgumentsTest(unittest.TestCase):
    def test_kinds_of_flags(self) -> None:
        line = _program.command_line(
            COMMANDS["run"],
            {
                "dims": 4,
                "noise": 1e-05,
                "trace": True,
                "message_records": False,
                "radix": (8, 8),
                "dead": ["3", "5:hung"],
                "watch": "node[0].*",
                "from_": "2s",
                "dump_traffic": Path("a b.csv"),
                "seed": None,
            },
        )
        wanted = "run --quiet --json --dims=4 --noise=1e-05 --trace --radix=8,8 --dead=3 --dead=5:hung"
        self.assertEqual(line, [*wanted.split(), "--watch=node[0].*", "--from=2s", "--dump-traffic=a b.csv"])
        route = _program.command_line(COMMANDS["route"], {"source": 0, "dims": None, "destination": "0x2"})
        self.assertEqual(route, ["route", "--quiet", "--json", "--", "0", "0x2"])
        with self.assertRaisesRegex(phasecube.BadInput, "route has no parameter loads; accepted: source"):
            _program.command_line(COMMANDS["route"], {"loads": 3})
        for value in ("yes", "", [True]):
            with self.assertRaisesRegex(phasecube.BadInput, "trace is .*; accepted: True or False"):
                _program.command_line(COMMANDS["run"], {"trace": value})

    def test_standard_output_is_taken(self) -> None:
        with self.assertRaisesRegex(phasecube.BadInput, "accepted: the name of a file"):
            phasecube.run(picture="-")

    def test_errors_are_pickled(self) -> None:
        error = phasecube.RunFailed("no message has moved", 1, {"hops": 3})
        copy = pickle.loads(pickle.dumps(error))
        self.assertIsInstance(copy, phasecube.RunFailed)
        self.assertEqual((str(copy), copy.exit_code, copy.report), (str(error), 1, {"hops": 3}))


@unittest.skipUnless(HAS_PROGRAM, "PHASECUBE says where the program is")
class CommandsTest(unittest.TestCase):
    def test_a_run(self) -> None:
        result = phasecube.run(network="torus", radix=(4, 4), pattern="bitrev", seed=3)
        words = "run --network torus --radix 4,4 --pattern bitrev --seed 3 --message-records"
        self.assertEqual(without_time(result.report), without_time(report(*words.split())))
        self.assertEqual((result.network, result.nodes, result.seed, result.delivered), ("torus", 16, 3, 16))
        arrivals = sorted(message.latency for message in result.message_records if message.latency)
        self.assertEqual((arrivals[0], arrivals[-1]), (result.latency.min, result.latency.max))
        # Bit reversal of four bits, by hand.
        ends = [(message.source, message.destination) for message in result.message_records]
        self.assertEqual(ends, [(node, int(f"{node:04b}"[::-1], 2)) for node in range(16)])
        loads = result.channel_loads
        self.assertEqual(sum(map(sum, loads.counts)), result.report["bytes"])
        node, port, load = loads.highest()
        self.assertEqual(load, loads.counts[node][port] / result.bit_times)

    def test_every_message_has_its_outcome(self) -> None:
        result = phasecube.run(dims=3, pattern="relation:4", dead=5, payload=0)
        for outcome in ("delivered", "to_self", "undelivered", "unknown"):
            messages = [message for message in result.message_records if message.outcome == outcome]
            count = result.report[outcome] - (result.report["to_self"] if outcome == "delivered" else 0)
            self.assertEqual(len(messages), count, outcome)
        self.assertGreater(result.report["undelivered"], 0)
        self.assertEqual(phasecube.run(message_records=False).message_records, [])

    def test_other_commands(self) -> None:
        route = phasecube.route("0x0", 11, network="rotation", dims=4)
        self.assertEqual([hop.next for hop in route.hops], [2, 3, 11])
        self.assertEqual([hop.properties["port"] for hop in route.hops], [1, 0, 3])
        self.assertEqual(phasecube.route(statistics=True, dims=4).hops, [])
        deadlock = phasecube.deadlock(network="torus", radix=4, vcs=1)
        self.assertEqual((deadlock.acyclic, len(deadlock.channels)), (False, 4))
        self.assertTrue(phasecube.deadlock(network="torus", radix=4).acyclic)
        self.assertEqual(phasecube.compile(dims=4, pattern="bitrev").superframes, 2)
        claims = phasecube.claims()
        self.assertEqual(len(list(claims)), claims.counts["claims"])
        compared = phasecube.compare(
            dims=3, networks=["torus", "rotation"], pattern="permutation", no_sweeps=True, no_synthesis=True
        )
        self.assertEqual([run.machine for run in compared.runs], compared.machines)
        self.assertTrue(all(run.delivered == run.messages for run in compared.runs))

    def test_errors_have_the_message_of_the_program(self) -> None:
        with self.assertRaises(phasecube.BadInput) as caught:
            phasecube.run(network="tors")  # type: ignore[arg-type]
        self.assertIn("accepted: tdma, cm1, torus", str(caught.exception))
        self.assertEqual(caught.exception.exit_code, 2)
        with self.assertRaises(phasecube.RunFailed) as failed:
            phasecube.run(network="torus", radix=4, vcs=1, pattern="xor:2")
        self.assertIn("no message has moved", str(failed.exception))
        self.assertEqual(failed.exception.report["delivered"], 0)

    def test_a_missing_program_is_an_error(self) -> None:
        script = "import phasecube\ntry: phasecube.run()\nexcept phasecube.BadInput as error: print(error)"
        environment = {**os.environ, "PATH": "", "PHASECUBE": ""}
        done = subprocess.run([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)
        self.assertIn("the program phasecube is not installed; accepted: ", done.stdout)

    @unittest.skipUnless(os.name == "posix", "signals")
    def test_an_interrupt_ends_the_program(self) -> None:
        """The interrupt reaches Python alone, as in a notebook. A shell without job control makes the tests ignore it,
        so the script sets its handler."""
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "child"
            script = f"""
import os, phasecube, signal, subprocess
signal.signal(signal.SIGINT, signal.default_int_handler)
class Popen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        open({str(mark)!r} + ".new", "w").write(str(self.pid))
        os.rename({str(mark)!r} + ".new", {str(mark)!r})
phasecube._program.subprocess.Popen = Popen
phasecube.run(dims=12, pattern="relation:900", payload=0)
"""
            python = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
            self.addCleanup(python.kill)
            while not mark.exists():
                self.assertIsNone(python.poll())
                time.sleep(0.01)
            python.send_signal(signal.SIGINT)
            _, stderr = python.communicate(timeout=60)
            self.assertIn("KeyboardInterrupt", stderr)
            with self.assertRaises(ProcessLookupError):
                os.kill(int(mark.read_text()), 0)


class AliasTest(unittest.TestCase):
    def test_the_earlier_name_warns_and_works(self) -> None:
        script = "import phasecube_host as old\nfrom phasecube_host.wire import Frame\nimport phasecube.host as new\n"
        script += "assert old.Machine is new.Machine and Frame is new.wire.Frame and set(old.__all__) == set(new.__all__)"
        done = subprocess.run([sys.executable, "-W", "always", "-c", script], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("phasecube_host is now phasecube.host", done.stderr)
