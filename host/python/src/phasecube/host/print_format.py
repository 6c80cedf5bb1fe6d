"""Formats of ``ctrl_print``: text with conversions, and the 32-bit words that fill them in."""

import math
import re
import struct
from typing import List, Optional, Tuple

_CONVERSION = re.compile(r"%([-0+ #]*)(\d*)(?:\.(\d*))?[hlztj]*([a-zA-Z%])")

_INTEGERS = "diuxXo"
_FLOATS = "feg"


def filled(format: str, words: List[int]) -> str:
    """Fills words of 32 bits into a format, as ``printf`` of C does. Words that are missing are
    printed as ``?``."""
    left = iter(words)

    def fill(match: "re.Match[str]") -> str:
        flags, width, precision, kind = match.groups()
        if kind == "%":
            return "%"
        word = next(left, None)
        if word is None:
            return "?"
        places = None if precision is None else int(precision or 0)
        return _converted(flags, int(width or 0), places, kind, word)

    return _CONVERSION.sub(fill, format)


def _converted(flags: str, width: int, precision: Optional[int], kind: str, word: int) -> str:
    """Returns the text of one conversion."""
    if kind == "c":
        prefix, digits = "", chr(word & 0xFF)
    elif kind in _INTEGERS:
        prefix, digits = _integer(flags, precision, kind, word)
    elif kind in _FLOATS:
        prefix, digits = _float(flags, precision, kind, word)
    else:
        return "%" + kind
    missing = max(0, width - len(prefix) - len(digits))
    if "-" in flags:
        return prefix + digits + " " * missing
    # Neither infinity nor a number with a least number of digits gets zeros.
    is_padded = kind in _FLOATS and digits[0].isdigit() or kind in _INTEGERS and precision is None
    if "0" in flags and is_padded:
        return prefix + "0" * missing + digits
    return " " * missing + prefix + digits


def _sign(flags: str, negative: bool) -> str:
    return "-" if negative else "+" if "+" in flags else " " if " " in flags else ""


def _integer(flags: str, precision: Optional[int], kind: str, word: int) -> Tuple[str, str]:
    """Returns the prefix and the digits of an integer."""
    prefix = ""
    if kind in "di":
        value: int = struct.unpack("<i", struct.pack("<I", word))[0]
        prefix, digits = _sign(flags, value < 0), str(abs(value))
    else:
        digits = ("%" + kind) % word
    if precision is not None:
        digits = "" if precision == word == 0 else digits.rjust(precision, "0")
    if "#" in flags:
        if kind in "xX" and word != 0:
            prefix = "0" + kind
        elif kind == "o" and not digits.startswith("0"):
            prefix = "0"
    return prefix, digits


def _float(flags: str, precision: Optional[int], kind: str, word: int) -> Tuple[str, str]:
    """Returns the sign and the digits of a number with a fraction."""
    value: float = struct.unpack("<f", struct.pack("<I", word))[0]
    places = 6 if precision is None else precision
    alternate = "#" if "#" in flags else ""
    digits = f"%{alternate}.{places}{kind}" % abs(value)
    return _sign(flags, math.copysign(1, value) < 0), digits
