"""Sweeps: a command on a grid of parameters, on any executor, with a cache."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sys
import tempfile
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING, Union

from . import _program
from ._program import BadInput, PathLike, PhasecubeError
from .commands import COMMANDS
from .results import Report, RunResult, rows_frame

if TYPE_CHECKING:
    import pandas

Grid = Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]
"""Parameters of the points: either a mapping, whose lists and ranges are axes, or the points themselves. A
tuple is one value: ``{"radix": [(4, 4), (8, 8)], "seed": range(10), "pattern": "bitrev"}``."""

Progress = Callable[[int, int, int], None]
"""Called with the numbers of finished points, of failed ones, and of all."""

_COMPUTER_DEPENDENT = ("wall_seconds", "node_cycles_per_second")
_TRIES = 3
_PAUSE = 10.0


@dataclass(frozen=True)
class Point:
    """A point of a sweep, and its result."""

    parameters: Dict[str, Any]
    report: Optional[Dict[str, Any]]
    """Report of the command without the values that depend on the computer. ``None`` if the command failed
    without one."""
    error: Optional[str]
    """Message of the program, or of the executor. ``None`` if the point succeeded."""
    cached: bool
    """True if the result is from the cache."""

    @property
    def ok(self) -> bool:
        return self.error is None


@dataclass(frozen=True)
class Sweep:
    """Result of :func:`sweep`: the points in the order of the grid."""

    command: str
    points: Sequence[Point]

    @property
    def failed(self) -> Sequence[Point]:
        return [point for point in self.points if not point.ok]

    def results(self) -> List[Report]:
        """Returns the results of the points that succeeded, typed as those of a run."""
        kind = RunResult if self.command == "run" else Report
        return [kind(point.report) for point in self.points if point.ok and point.report is not None]

    def frame(self) -> "pandas.DataFrame":
        """Returns a pandas frame with a row for each point: its parameters, the values of its report, and its
        error. The values of an object have its name before theirs: ``latency_p50``."""
        return rows_frame([self._row(point) for point in self.points])

    @staticmethod
    def _row(point: Point) -> Dict[str, Any]:
        row: Dict[str, Any] = {}
        for name, value in (point.report or {}).items():
            if isinstance(value, dict):
                scalars = {key: inner for key, inner in value.items() if not isinstance(inner, (dict, list))}
                row.update({f"{name}_{key}": inner for key, inner in scalars.items()})
            elif not isinstance(value, list):
                row[name] = value
        return {**row, **point.parameters, "error": point.error}


def points_of(grid: Grid) -> List[Dict[str, Any]]:
    """Returns the points of a grid. The last axis changes fastest."""
    if not isinstance(grid, Mapping):
        return [dict(point) for point in grid]
    axes = [list(values) if _is_axis(values) else [values] for values in grid.values()]
    return [dict(zip(grid, values)) for values in itertools.product(*axes)]


def _is_axis(values: Any) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes, tuple, os.PathLike, Mapping))


def sweep(
    grid: Grid,
    executor: Optional[Executor] = None,
    cache: Optional[PathLike] = None,
    *,
    command: str = "run",
    progress: Union[bool, Progress, None] = None,
) -> Sweep:
    """Runs a command on each point of a grid.

    ``executor`` is any executor of ``concurrent.futures``: a process pool, ``Client.get_executor()`` of Dask,
    ``MPIPoolExecutor`` of mpi4py. The default runs as many programs at once as this computer has processors.
    The results do not depend on the executor.

    ``cache`` is a directory with the results by parameters and program. A point that is there does not run
    again, so that an interrupted sweep continues. Points that failed run again.

    ``progress`` prints the number of finished points on standard error, by default on a terminal. It can be a
    function.

    A point that fails is reported in the result, and the others run. Raises :class:`~phasecube.BadInput` if a
    parameter has no flag.
    """
    points = points_of(grid)
    lines = [_line(command, point) for point in points]
    program = program_id()
    store = None if cache is None else _Cache(Path(cache), program)
    found: Dict[int, Point] = {}
    for number, (point, line) in enumerate(zip(points, lines)):
        report = store.get(line) if store else None
        if report is not None:
            found[number] = Point(point, report, None, True)
    meter = _Meter(len(points), progress)
    own = executor is None
    runner = executor or ThreadPoolExecutor(max(1, os.cpu_count() or 1))
    try:
        waiting = [number for number in range(len(points)) if number not in found]
        for number, report, error in _completed(runner, lines, waiting, program):
            found[number] = Point(points[number], report, error, False)
            if store and error is None and report is not None:
                store.put(lines[number], report)
            meter.at(len(found), sum(not point.ok for point in found.values()))
    except BaseException:
        if own:
            runner.shutdown(wait=False, cancel_futures=True)
            _program.end_children()
        raise
    finally:
        if own:
            runner.shutdown()
        meter.close()
    return Sweep(command, [found[number] for number in range(len(points))])


_Result = Tuple[int, Optional[Dict[str, Any]], Optional[str]]


def _completed(runner: Executor, lines: Sequence[List[str]], numbers: Sequence[int], program: str) -> Iterable[_Result]:
    """Yields the results of the points as they complete. A point whose worker is lost is tried again."""
    open_points: Dict["Future[Any]", int] = {}
    tries: Dict[int, int] = {}
    pending = list(numbers)
    try:
        while pending or open_points:
            lost: List[_Result] = []
            for number in pending:
                tries[number] = tries.get(number, 0) + 1
                try:
                    open_points[runner.submit(run_line, lines[number], program)] = number
                except Exception as error:
                    lost.append((number, None, _lost(error)))
            pending = []
            yield from lost
            for future in as_completed(list(open_points)):
                number = open_points.pop(future)
                try:
                    report, message = future.result()
                except Exception as error:
                    if tries[number] < _TRIES:
                        pending.append(number)
                    else:
                        yield number, None, _lost(error)
                    continue
                yield number, report, message
    except BaseException:
        for future in open_points:
            future.cancel()
        raise


def _lost(error: BaseException) -> str:
    return f"the executor lost the point: {type(error).__name__}: {error}"


def run_line(line: List[str], program: str) -> Tuple[Optional[Dict[str, Any]], Optional[str]]:
    """Runs a command line on a worker. Returns its report without the values that depend on the computer, and
    the error message."""
    own = program_id()
    if own != program:
        return None, f"the worker has the program {own}; accepted: {program}, as where the sweep began"
    try:
        report: Optional[Dict[str, Any]] = _program.call(line)
        message = None
    except PhasecubeError as error:
        report, message = error.report, str(error)
    return report and _portable(report), message


def _portable(report: Dict[str, Any]) -> Dict[str, Any]:
    """A report without the values that depend on the computer."""
    return {key: report[key] for key in report if key not in _COMPUTER_DEPENDENT}


def _line(command: str, point: Mapping[str, Any]) -> List[str]:
    if command not in COMMANDS:
        raise BadInput(f"there is no command {command!r}; accepted: {', '.join(COMMANDS)}", 2)
    # `phasecube sweep grid` has the same order, so that both find each other's results.
    return _program.command_line(COMMANDS[command], dict(sorted(point.items())))


_ids: Dict[str, str] = {}


def program_id() -> str:
    """Returns the version of the program and a digest of its file."""
    path = _program.find_program()
    if path not in _ids:
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        _ids[path] = f"{_program.version()}-{digest[:12]}"
    return _ids[path]


class _Cache:
    """Results in a directory, each in a file of its own. `phasecube sweep grid` has the same files."""

    def __init__(self, path: Path, program: str) -> None:
        self._path, self._program = path, program
        path.mkdir(parents=True, exist_ok=True)

    def _file(self, line: Sequence[str]) -> Path:
        key = json.dumps([self._program, *line], separators=(",", ":"), ensure_ascii=False)
        return self._path / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"

    def get(self, line: Sequence[str]) -> Optional[Dict[str, Any]]:
        try:
            entry = json.loads(self._file(line).read_text(encoding="utf-8"))
            report: Dict[str, Any] = entry["report"]
            return _portable(report) if entry["line"] == list(line) else None
        except (OSError, ValueError, KeyError):
            return None

    def put(self, line: Sequence[str], report: Mapping[str, Any]) -> None:
        entry = {"program": self._program, "line": list(line), "report": report}
        # Another sweep may write the same point, and this one may be killed.
        with tempfile.NamedTemporaryFile("w", dir=self._path, suffix=".part", delete=False, encoding="utf-8") as file:
            json.dump(entry, file)
        os.replace(file.name, self._file(line))


class _Meter:
    """Progress of a sweep."""

    def __init__(self, total: int, progress: Union[bool, Progress, None]) -> None:
        self._total = total
        self._terminal = sys.stderr.isatty()
        self._call = progress if callable(progress) else None
        self._prints = progress is True or progress is None and self._terminal
        self._last = 0.0

    def at(self, finished: int, failed: int) -> None:
        if self._call is not None:
            self._call(finished, failed, self._total)
        elif self._prints and (finished == self._total or time.monotonic() - self._last > self._pause()):
            self._last = time.monotonic()
            text = f"sweep: {finished} of {self._total} points, {failed} failed"
            print("\r" + text if self._terminal else text, end="" if self._terminal else "\n", file=sys.stderr, flush=True)

    def _pause(self) -> float:
        return 0.2 if self._terminal else _PAUSE

    def close(self) -> None:
        if self._prints and self._terminal and self._last:
            print(file=sys.stderr)
