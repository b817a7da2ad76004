"""Where things are."""

import os
from pathlib import Path

VM_HOME = Path(__file__).resolve().parent.parent
# The guests' root: the host's own, or that of another release.
VM_ROOT = os.environ.get("VM_ROOT") or "/"
VM_WORK = Path(
    os.environ.get("VM_WORK")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "measured-vm"
)
