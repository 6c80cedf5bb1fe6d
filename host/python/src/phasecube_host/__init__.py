"""Earlier name of :mod:`phasecube.host`. The alias is removed in the next release."""

import sys
import warnings

from phasecube import host
from phasecube.host import *  # noqa: F403
from phasecube.host import machine, messages, port, wire

__all__ = host.__all__

for _module in (machine, messages, port, wire):
    sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module

warnings.warn(
    "phasecube_host is now phasecube.host; the old name is removed in the next release",
    DeprecationWarning,
    stacklevel=2,
)
