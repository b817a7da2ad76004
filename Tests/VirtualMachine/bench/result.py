"""What came of a scenario; a line of JSON between a worker and the runner."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from .settings import VM_WORK


@dataclass
class Result:
    """One run of a scenario in one mode. `late` is what passes only at the second try."""

    name: str
    mode: str
    verdict: str  # pass, FAIL or late
    seconds: float
    load: float  # the host's, at the end
    slowness: float  # of the guest, at the beginning
    text: str = ""  # why it failed, or the figures that it found

    def line(self) -> str:
        return json.dumps(asdict(self))

    def __str__(self) -> str:
        return (
            f"{self.verdict:4}  {self.mode:10}  {self.seconds:6.1f} s  load {self.load:4.1f}"
            f"  slowness {self.slowness:3.1f}  {self.name}  {self.text}".rstrip()
        )

    @property
    def logs(self) -> Path:
        """Where the logs of a failed run are."""
        return VM_WORK / "failed" / f"{self.name}-{self.mode}"


def parsed(line: str) -> Result:
    return Result(**json.loads(line))
