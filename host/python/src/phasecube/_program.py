"""Finds the program ``phasecube``, and calls it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple, Union

Text = Union[str, int, float]
"""Value of a flag, in the form of the command line or as a number."""

PathLike = Union[str, "os.PathLike[str]"]

_GRACE = 0.3
_PATIENCE = 10.0


class PhasecubeError(Exception):
    """A command failed. The text is the program's message."""

    def __init__(self, message: str, exit_code: int = 1, report: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.report = report
        """Report that the program printed before it failed. ``None`` if there is none."""

    def __reduce__(self) -> Tuple[Any, ...]:
        # So that the error of a worker process reaches the process that started the worker.
        return type(self), (str(self), self.exit_code, self.report)


class BadInput(PhasecubeError):
    """Arguments or files are wrong (exit code 2)."""


class RunFailed(PhasecubeError):
    """A run or check failed (exit code 1). A run has a report."""


class Stopped(PhasecubeError):
    """A signal ended the program."""


def find_program() -> str:
    """Returns the path of the program: the environment variable ``PHASECUBE``, else the program next
    to Python, where a wheel puts it, else the one on the path."""
    given = os.environ.get("PHASECUBE")
    beside = shutil.which("phasecube", path=sysconfig.get_path("scripts"))
    found = given or beside or shutil.which("phasecube")
    if found is None:
        raise BadInput(
            "the program phasecube is not installed; accepted: its path in the environment variable PHASECUBE", 2
        )
    return found


@lru_cache(maxsize=None)
def _version(program: str) -> str:
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout.split()[-1]


def version() -> str:
    """Returns the version of the program."""
    return _version(find_program())


@dataclass(frozen=True)
class Command:
    """A command of the program."""

    words: Tuple[str, ...]
    """Words that call it."""
    flags: Dict[str, Tuple[str, str]]
    """By parameter: the flag, and its kind. The kind is ``switch``, ``value``, ``repeated``, or the character
    that separates the values of a list."""
    positions: Tuple[str, ...]
    """Parameters without a flag, in order."""


def command_line(command: Command, parameters: Mapping[str, Any]) -> List[str]:
    """Returns the arguments that call a command with these parameters and print JSON. Parameters that are
    ``None`` or ``False`` are left out."""
    line = [*command.words, "--quiet", "--json"]
    for name, value in parameters.items():
        if name in command.positions:
            continue
        if name not in command.flags:
            accepted = ", ".join([*command.positions, *command.flags])
            raise BadInput(f"{' '.join(command.words)} has no parameter {name}; accepted: {accepted}", 2)
        if value is None or value is False:
            continue
        flag, kind = command.flags[name]
        if kind == "switch":
            # numpy has truth values of its own.
            if value not in (True, False):
                raise BadInput(f"{name} is {value!r}; accepted: True or False", 2)
            if value:
                line.append(f"--{flag}")
        elif kind == "value":
            line.append(f"--{flag}={_word(flag, value)}")
        elif kind == "repeated":
            line.extend(f"--{flag}={_word(flag, one)}" for one in _values(value))
        else:
            line.append(f"--{flag}=" + kind.join(_word(flag, one) for one in _values(value)))
    given = [parameters[name] for name in command.positions if parameters.get(name) is not None]
    if given:
        line.append("--")
        line.extend(_word("an argument", one) for value in given for one in _values(value))
    return line


def _values(value: Any) -> Iterable[Any]:
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
        return [value]
    values: Iterable[Any] = value
    return values


def _word(flag: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if value == "-":
        raise BadInput(f"{flag}: the report goes to standard output; accepted: the name of a file", 2)
    return repr(value) if isinstance(value, float) else str(value)


def call(line: Sequence[str]) -> Dict[str, Any]:
    """Runs the program with these arguments, and returns the JSON object that it prints. An
    interruption of Python ends the program, too."""
    child = subprocess.Popen(
        [find_program(), *line],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    _children.add(child)
    try:
        stdout, stderr = child.communicate()
    except BaseException:
        _end(child)
        raise
    finally:
        _children.discard(child)
    report = _parsed(stdout)
    if child.returncode == 0 and report is not None:
        return report
    message = stderr.decode(errors="replace").strip()
    if not message and report is None and stdout:
        message = f"the program ended with exit code {child.returncode} and printed {stdout[:200]!r}, which is no report"
    raise _error(child.returncode, message, report)


_children: "Set[subprocess.Popen[bytes]]" = set()


def end_children() -> None:
    """Ends the programs that other threads of this process wait for."""
    for child in list(_children):
        child.terminate()


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Ends a child. A terminal has already sent it the signal, so it gets time to react."""
    for patience, number in ((_GRACE, signal.SIGINT), (_PATIENCE, signal.SIGTERM)):
        try:
            child.communicate(timeout=patience)
            return
        except subprocess.TimeoutExpired:
            child.send_signal(number if os.name == "posix" else signal.SIGTERM)
    try:
        child.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()


def _parsed(stdout: bytes) -> Optional[Dict[str, Any]]:
    try:
        report = json.loads(stdout)
    except ValueError:
        return None
    return report if isinstance(report, dict) else {"rows": report}


def _error(code: int, message: str, report: Optional[Dict[str, Any]]) -> PhasecubeError:
    message = message[len("error: ") :] if message.startswith("error: ") else message
    if not message:
        message = f"the program ended with exit code {code} and printed no report"
    if code == 2:
        return BadInput(message, code, report)
    if code < 0 or code in (129, 130, 143):
        return Stopped(message, code, report)
    return RunFailed(message, code, report)
