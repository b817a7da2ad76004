"""Scripts of devices, by the protocols of their makers."""

from ..scripted import Script
from .aandd import AandDMonitor, AandDScale
from .huawei import HuaweiScale
from .medisana import BS440, BS444
from .qn import BasicQNScale, EtekcityScale, ExtendedQNScale
from .soehnle import SoehnleScale
from .viatom import Oximeter
from .yunmai import YunmaiScale

# Those that take longest are first.
SCRIPTS: list[type[Script]] = [
    AandDScale,
    AandDMonitor,
    BasicQNScale,
    ExtendedQNScale,
    EtekcityScale,
    YunmaiScale,
    BS440,
    BS444,
    SoehnleScale,
    HuaweiScale,
    Oximeter,
]
