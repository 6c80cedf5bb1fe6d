"""Tests of numpy arrays as data and results. `cargo sim host::python` runs them with numpy."""

import unittest

import numpy

from phasecube.host import HostError, Machine, Results


class ArrayTest(unittest.TestCase):
    def test_arrays_are_accepted_and_returned(self) -> None:
        with Machine.simulate(dims=5) as machine:
            machine.load("all_reduce")
            results = machine.run(numpy.arange(32, dtype=numpy.int32).reshape(32, 1))
        numpy.testing.assert_array_equal(results.array(), [[496, 0, 31]] * 32)
        self.assertEqual(results.grid().shape, (8, 4, 3))
        self.assertEqual(results.grid()[7, 3].tolist(), [496, 0, 31])

    def test_neighbours_of_the_grid_are_neighbours_of_the_cube(self) -> None:
        grid = Results([[node] for node in range(4096)], [0] * 4096).grid()
        self.assertEqual((grid.shape, len(numpy.unique(grid))), ((64, 64), 4096))
        for axis in (0, 1):
            differ = grid ^ numpy.roll(grid, 1, axis)
            self.assertTrue(((differ & (differ - 1)) == 0).all() and differ.all())
        # Columns are in the low half of the address.
        self.assertTrue((grid[0] < 64).all())

    def test_rows_of_different_lengths_are_no_array(self) -> None:
        with self.assertRaisesRegex(HostError, "equally many words"):
            Results([[1], []], [0, 0]).array()
