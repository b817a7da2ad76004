"""Scripts of devices, by the protocols of their makers."""

from ..scripted import Script
from .aandd import AandDMonitor, AandDScale
from .beurer import BeurerScale
from .eufy import EufyScale
from .huawei import HuaweiScale
from .medisana import BS440, BS444
from .omron import OmronMonitor
from .onebyone import ClassicScale, NewerScale
from .qn import BasicQNScale, EtekcityScale, ExtendedQNScale
from .renpho import BasicLefuScale, GuestLefuScale
from .soehnle import SoehnleScale
from .viatom import Oximeter
from .yunmai import YunmaiScale

# Those that take longest are first.
SCRIPTS: list[type[Script]] = [
    AandDScale,
    AandDMonitor,
    OmronMonitor,
    BasicQNScale,
    ExtendedQNScale,
    EtekcityScale,
    EufyScale,
    YunmaiScale,
    BeurerScale,
    ClassicScale,
    NewerScale,
    BasicLefuScale,
    GuestLefuScale,
    BS440,
    BS444,
    SoehnleScale,
    HuaweiScale,
    Oximeter,
]
