"""Tests of sweeps on executors, with the program phasecube in PHASECUBE, and Dask."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import phasecube
from phasecube import sweeps

GRID = {"network": "torus", "radix": [(4, 4), (4, 2)], "pattern": ["permutation", "relation:2"], "seed": range(3)}
POINTS = 12


def calls(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


class CountedProgram:
    """The program, which writes a line to a file for each run."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log"
        self.program = folder / "program"
        real = os.environ["PHASECUBE"]
        self.program.write_text(f'#!/bin/sh\n[ "$1" = run ] && echo run >> "{self.log}"\nexec "{real}" "$@"\n')
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def used(self) -> "mock._patch_dict":
        return mock.patch.dict(os.environ, {"PHASECUBE": str(self.program)})


class ExecutorTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_executors_have_the_same_results(self) -> None:
        wanted = phasecube.sweep(GRID)
        self.assertEqual((len(wanted.points), len(wanted.failed)), (POINTS, 0))
        for point in (wanted.points[0], wanted.points[-1]):
            alone = phasecube.run(**point.parameters, message_records=False).report
            for name in ("wall_seconds", "node_cycles_per_second"):
                del alone[name]
            self.assertEqual(point.report, alone)
        for workers in (1, 3):
            with ProcessPoolExecutor(workers) as pool:
                self.assertEqual(phasecube.sweep(GRID, pool), wanted)
        with ThreadPoolExecutor(2) as pool:
            self.assertEqual(phasecube.sweep(GRID, executor=pool), wanted)

    def test_a_cache_is_for_parameters_and_program(self) -> None:
        counted = CountedProgram(self.folder)
        cache = self.folder / "cache"
        with counted.used():
            first = phasecube.sweep({**GRID, "seed": range(2)}, cache=cache)
            self.assertEqual(calls(counted.log), 8)
            second = phasecube.sweep(GRID, cache=cache)
            self.assertEqual(calls(counted.log), POINTS)
            self.assertEqual(sum(point.cached for point in second.points), 8)
            of_first = [point.report for point in second.points if point.parameters["seed"] < 2]
            self.assertEqual(of_first, [point.report for point in first.points])
            # A list is the same parameter as a tuple.
            again = phasecube.sweep([{**point.parameters, "radix": list(point.parameters["radix"])} for point in second.points], cache=cache)
            self.assertTrue(all(point.cached for point in again.points))
            # A damaged file runs again.
            file = next(cache.glob("*.json"))
            file.write_text(file.read_text()[:50])
            phasecube.sweep(GRID, cache=cache)
            self.assertEqual(calls(counted.log), POINTS + 1)
            # So does everything with another program.
            with counted.program.open("a") as program:
                program.write("# another program\n")
            sweeps._ids.clear()
            phasecube.sweep(GRID, cache=cache)
            self.assertEqual(calls(counted.log), 2 * POINTS + 1)
        sweeps._ids.clear()
        self.assertEqual(list(cache.glob("*.part")), [])

    def test_a_killed_worker_costs_its_points(self) -> None:
        """A process pool breaks when a worker dies. The sweep reports it, and the next one continues."""
        counted = CountedProgram(self.folder)
        cache = self.folder / "cache"
        with counted.used(), ProcessPoolExecutor(2) as pool:

            def kill(finished: int, _failed: int, _all: int) -> None:
                if finished == 3:
                    os.kill(next(iter(pool._processes)), signal.SIGKILL)

            result = phasecube.sweep(GRID, pool, cache, progress=kill)
            self.assertEqual(len(result.points), POINTS)
            self.assertGreater(len(result.failed), 0)
            self.assertIn("the executor lost the point", result.failed[0].error)
            rest = phasecube.sweep(GRID, cache=cache)
        self.assertEqual(len(rest.failed), 0)
        self.assertEqual(sum(point.cached for point in rest.points), POINTS - len(result.failed))

    def test_an_interrupted_sweep_continues(self) -> None:
        cache = self.folder / "cache"
        # A shell that runs the tests in the background ignores the signal.
        script = f"""
import signal
import phasecube
signal.signal(signal.SIGINT, signal.default_int_handler)
phasecube.sweep({{"dims": 8, "pattern": "relation:8", "seed": range(200)}}, cache={str(cache)!r})
"""
        python = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
        while len(list(cache.glob("*.json"))) < 2:
            self.assertIsNone(python.poll())
            time.sleep(0.02)
        python.send_signal(signal.SIGINT)
        _, stderr = python.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", stderr)
        done = len(list(cache.glob("*.json")))
        self.assertLess(done, 200)
        result = phasecube.sweep({"dims": 8, "pattern": "relation:8", "seed": range(2)}, cache=cache)
        self.assertTrue(all(point.cached for point in result.points))

    def test_dask_replaces_a_killed_worker(self) -> None:
        from dask.distributed import Client, LocalCluster

        wanted = phasecube.sweep(GRID)
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            killed = []

            def kill(finished: int, _failed: int, _all: int) -> None:
                if not killed:
                    killed.append(cluster.workers[0].pid)
                    os.kill(killed[0], signal.SIGKILL)

            with Client(cluster) as client:
                result = phasecube.sweep(GRID, client.get_executor(), progress=kill)
        self.assertEqual(len(killed), 1)
        self.assertEqual(result, wanted)
