#!/usr/bin/env python3
"""Conway's game of life on the machine, one cell per node.

Loads `life`, runs it one generation after the other, and prints the generations.

    phasecube board --dims 12 &
    python3 life.py --port tcp:7700
"""

from __future__ import annotations

import argparse
import random
from typing import Dict, Iterator, List

from phasecube.host import Machine

Grid = List[List[int]]


def gray(number: int) -> int:
    """Returns the Gray code, in which neighbours in a row of cells differ in one bit."""
    return number ^ number >> 1


def address(x: int, y: int, dims: int) -> int:
    """Node of a cell: the low half of the address is the column, the high half the row."""
    return gray(y) << dims // 2 | gray(x)


def beginning(dims: int, seed: int = 1) -> Grid:
    """A torus of 2^dims cells, a third of them alive. With 8 or more columns it has a glider."""
    drawn = random.Random(seed)
    columns, rows = 1 << dims // 2, 1 << dims - dims // 2
    grid = [[int(drawn.random() < 1 / 3) for _ in range(columns)] for _ in range(rows)]
    if columns >= 8:
        glider = [".X.", "..X", "XXX"]
        for y in range(6):
            for x in range(6):
                inside = 1 <= y <= 3 and 1 <= x <= 3
                grid[y][x] = int(inside and glider[y - 1][x - 1] == "X")
    return grid


def generations(machine: Machine, grid: Grid, count: int) -> Iterator[Grid]:
    """Yields the grid and its next generations. The machine must have `life` loaded."""
    dims = machine.about.dims
    yield grid
    for _ in range(count):
        data: Dict[int, List[int]] = {
            address(x, y, dims): [cell] for y, row in enumerate(grid) for x, cell in enumerate(row)
        }
        # Node 0 also receives the number of generations.
        data[0].append(1)
        results = machine.run(data)
        if not results.ok:
            raise SystemExit(f"life has not ended: {results.state.name}, {results.traps}")
        grid = [
            [int(results.values[address(x, y, dims)][0]) for x in range(len(row))]
            for y, row in enumerate(grid)
        ]
        yield grid


def text(grid: Grid) -> str:
    """Printed form of a grid."""
    return "\n".join("".join("██" if cell else "· " for cell in row) for row in grid)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", default="tcp:7700")
    parser.add_argument("--generations", type=int, default=3)
    options = parser.parse_args()
    with Machine(options.port) as machine:
        machine.load("life")
        grid = beginning(machine.about.dims)
        for number, grid in enumerate(generations(machine, grid, options.generations)):
            print(f"generation {number}, {sum(map(sum, grid))} of {machine.nodes} cells alive")
            print(text(grid), flush=True)


if __name__ == "__main__":
    main()
