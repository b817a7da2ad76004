"""Which beats were kept, and whether the others were lost with their link."""

from dataclasses import dataclass

from peripherals.strap import Beat

# The last ones before a link's end may not have arrived: the strap notices the end late.
LATE_SECONDS = 5.0


@dataclass
class Beats:
    """Numbers of beats."""

    sent: int
    kept: int
    lost_with_link: int
    lost_within_link: int  # this must not be
    unknown: int  # kept, and never sent, or kept twice

    @property
    def good(self) -> bool:
        return self.lost_within_link == 0 and self.unknown == 0


def compared(sent: list[Beat], kept: list[int], slowness: float) -> Beats:
    """Finds each kept pulse among those that were sent, in their order."""
    missing: set[int] = set()
    at = unknown = 0
    for pulse in kept:
        # The pulse counts up to 59; a longer way to the next equal one is none.
        ahead = next(
            (step for step, beat in enumerate(sent[at : at + 59]) if beat.pulse == pulse), None
        )
        if ahead is None:
            unknown += 1
            continue
        missing.update(range(at, at + ahead))
        at += ahead + 1
    missing.update(range(at, len(sent)))
    ends = {beat.link: beat.time for beat in sent}
    last_kept = {beat.link: index for index, beat in enumerate(sent) if index not in missing}
    with_link = [
        index
        for index in missing
        if index > last_kept.get(sent[index].link, -1)
        and ends[sent[index].link] - sent[index].time <= LATE_SECONDS * slowness
    ]
    return Beats(len(sent), len(kept), len(with_link), len(missing) - len(with_link), unknown)
