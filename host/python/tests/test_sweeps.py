"""Tests of sweeps, with the program phasecube in PHASECUBE. Those of executors are in `thorough`."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import phasecube
from phasecube import pictures, sweeps

HAS_PROGRAM = bool(os.environ.get("PHASECUBE"))

# With one virtual channel this ring deadlocks.
DEADLOCK = {"network": "torus", "radix": 4, "vcs": [2, 1], "pattern": "xor:2"}


class GridTest(unittest.TestCase):
    def test_lists_and_ranges_are_axes(self) -> None:
        points = sweeps.points_of({"radix": [(4, 4), (8, 8)], "seed": range(2), "pattern": "bitrev"})
        self.assertEqual([(point["radix"], point["seed"]) for point in points], [((4, 4), 0), ((4, 4), 1), ((8, 8), 0), ((8, 8), 1)])
        self.assertEqual({point["pattern"] for point in points}, {"bitrev"})
        self.assertEqual(sweeps.points_of({"radix": (8, 8)}), [{"radix": (8, 8)}])
        self.assertEqual(sweeps.points_of([{"dims": 3}, {"seed": 4}]), [{"dims": 3}, {"seed": 4}])


class IntervalTest(unittest.TestCase):
    def test_bars_of_flits_are_intervals_of_flits(self) -> None:
        point = {"accepted": 2.0, "accepted_ci95": 0.1, "accepted_share": 0.5}
        point.update(accepted_flits=0.4, accepted_flits_ci95=0.3, mean_latency_ci95=7.0)
        for accepted, half in (("accepted", 0.1), ("accepted_share", 0.025), ("accepted_flits", 0.3)):
            self.assertAlmostEqual(pictures._half_interval(point, "accepted", accepted), half)
        self.assertEqual(pictures._half_interval(point, "latency", "accepted"), 7.0)


@unittest.skipUnless(HAS_PROGRAM, "PHASECUBE says where the program is")
class SweepTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_failing_point_costs_only_itself(self) -> None:
        seen = []
        result = phasecube.sweep(DEADLOCK, cache=self.folder, progress=lambda *numbers: seen.append(numbers))
        [failed] = result.failed
        self.assertEqual(failed.parameters["vcs"], 1)
        self.assertIn("no message has moved", failed.error)
        self.assertEqual((failed.report["delivered"], result.points[0].report["delivered"]), (0, 4))
        self.assertEqual(seen[-1], (2, 1, 2))
        self.assertEqual(len(list(self.folder.glob("*.json"))), 1)
        bad = phasecube.sweep({"dims": [3, 99]})
        self.assertIn("accepted: 1 to", bad.failed[0].error)
        with self.assertRaisesRegex(phasecube.BadInput, "run has no parameter sed; accepted: "):
            phasecube.sweep({"sed": [1, 2]})
        with self.assertRaisesRegex(phasecube.BadInput, "there is no command 'runs'; accepted: "):
            phasecube.sweep({}, command="runs")

    def test_the_command_has_the_same_cache(self) -> None:
        grid = self.folder / "grid.toml"
        grid.write_text('network = "torus"\nradix = [[4, 4], [4, 2]]\nseed = [1, 2]\n')
        program = os.environ["PHASECUBE"]
        subprocess.run([program, "sweep", "grid", grid, "--out", self.folder], check=True, stdout=subprocess.PIPE)
        parameters = {"seed": [1, 2], "radix": [(4, 4), (4, 2)], "network": "torus"}
        result = phasecube.sweep(parameters, cache=self.folder)
        self.assertEqual([point.cached for point in result.points], [True] * 4)
        self.assertEqual(result, phasecube.sweep(parameters, cache=self.folder))
        fresh = phasecube.sweep(parameters)
        self.assertEqual([point.report for point in result.points], [point.report for point in fresh.points])
