"""Study: does `why` name the piece that planted a wrong value?

    python -m tests.studies.planted_causes [--scenarios DIR] [--part all|seen|held] [--list]

Each scenario is run through the real recorder, by a real OpenAI or Anthropic client over a local
transport, and `why` is asked from the exported trail alone. Without --scenarios the built-in ones
are run (`tests/studies/planted/generate.py`); `--part held` is the third of them that was kept
aside while `why` was built. With it, every `*.json` below DIR (format: the text of
`tests/studies/planted/scenario.py`). `--list` names every scenario that did not come out as it
should; `--write DIR` writes the scenarios as files instead of running them.

Exit code 1 when a target is missed: the true piece first in 95 % and within three in 100 % of the
runs that carry it verbatim, no confident answer where nothing carries the value, and plain text
search (earliest or latest hit) right in at most 60 %: otherwise the study is too easy. Counts of
the issue (60 runs, a third with several carriers, 20 without one) are checked for the built-in
scenarios.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from .planted.drive import record
from .planted.generate import built_in, is_held_back
from .planted.judge import Judged, judge
from .planted.scenario import Scenario, read_scenarios

FIRST, WITHIN, EASY = 95.0, 100.0, 60.0


def main() -> int:
    """Runs the study and prints its tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scenarios", type=Path, metavar="DIR")
    parser.add_argument("--part", choices=("all", "seen", "held"), default="all")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write", type=Path, metavar="DIR")
    args = parser.parse_args()
    found = read_scenarios(args.scenarios) if args.scenarios else built_in()
    if args.part != "all" and not args.scenarios:
        found = [s for s in found if is_held_back(s) == (args.part == "held")]
    if args.write:
        return write(found, args.write)
    judged = run(found, sys.stderr.isatty())
    print_tables(judged)
    if args.list:
        print_misses(judged)
    missed = targets(judged, counts=args.part == "all" and not args.scenarios)
    for line in missed:
        print("MISSED: " + line)
    return 1 if missed else 0


def run(found: Iterable[Scenario], progress: bool = False) -> list[Judged]:
    """Records every scenario and asks `why` of its trail."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for i, scenario in enumerate(found, 1):
            path = Path(folder) / f"{i}.jsonl"
            record(scenario, path)
            out.append(judge(scenario, path))
            path.unlink()
            if progress:
                sys.stderr.write(f"\r{i} {scenario.name[:40]:40}")
    if progress:
        sys.stderr.write("\r" + " " * 60 + "\r")
    return out


def print_tables(judged: list[Judged]) -> None:
    """How often it was right, by kind and by what the value looks like."""
    carried = [j for j in judged if j.scenario.truth]
    free = [j for j in judged if not j.scenario.truth]
    many = [j for j in carried if j.scenario.many]
    print(f"{len(judged)} runs: {len(carried)} with a cause on the trail ({len(many)} carry the "
          f"value in three pieces or more), {len(free)} without")  # fmt: skip
    print(f"\n{'':18}{'runs':>6}{'first':>9}{'within 3':>10}{'named':>8}{'tie':>6}"
          f"{'chance':>8}{'none':>6}{'earliest':>10}{'latest':>8}")  # fmt: skip
    for title, pick in (
        ("value is", lambda j: j.scenario.carried),
        ("kind", lambda j: j.scenario.kind),
    ):
        print(f"-- {title}")
        _rows(carried, pick)
    if many:
        print("-- three pieces and more")
        _rows(many, lambda _: "many")
    if carried:
        print("-- all with a cause")
        _rows(carried, lambda _: "all")
    if free:
        words = Counter(j.word for j in free)
        said = ", ".join(f"{word} {n}" for word, n in words.most_common())
        wrong = sum(j.confident for j in free)
        print(f"\nwithout a cause: {len(free)} runs; {said}; confident: {wrong}")
    ties = [j for j in carried if len(j.scenario.truth) > 1]
    right = sum(j.word == "tie" and j.first for j in ties)
    print(f"true ties: {right} of {len(ties)} named as one;"
          f" wrong ties: {sum(j.tied for j in carried)}")  # fmt: skip


def _rows(judged: list[Judged], pick: Callable[[Judged], str]) -> None:
    groups: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        groups[pick(each)].append(each)
    for name, group in sorted(groups.items()):
        words = Counter(j.word for j in group)
        print(
            f"{name:18}{len(group):>6}{share(group, first):>9}{share(group, within):>10}"
            f"{words['named']:>8}{words['tie']:>6}{words['chance']:>8}"
            f"{words['none'] + words['unread']:>6}"
            f"{share(group, lambda j: j.earliest):>10}{share(group, lambda j: j.latest):>8}"
        )


def first(each: Judged) -> bool:
    """True pieces alone stand first."""
    return each.first


def within(each: Judged) -> bool:
    """A true piece is among the first three."""
    return 1 <= each.place <= 3


def percent(group: list[Judged], test: Callable[[Judged], bool]) -> float:
    """Of how many, in percent; 100 of nothing."""
    return 100 * sum(map(test, group)) / len(group) if group else 100.0


def share(group: list[Judged], test: Callable[[Judged], bool]) -> str:
    """The same for print."""
    return f"{percent(group, test):.1f} %"


def targets(judged: list[Judged], counts: bool) -> list[str]:
    """The targets that were missed."""
    carried = [j for j in judged if j.scenario.truth]
    verbatim = [j for j in carried if j.scenario.carried == "verbatim"]
    free = [j for j in judged if not j.scenario.truth]
    out = []
    for group, name in ((verbatim, "verbatim"), (carried, "all")):
        if percent(group, first) < FIRST:
            out.append(f"first in {share(group, first)} ({name}), not {FIRST:.0f} %")
    if percent(verbatim, within) < WITHIN:
        out.append(f"within three in {share(verbatim, within)}, not {WITHIN:.0f} %")
    if any(j.confident for j in free):
        out.append(f"{sum(j.confident for j in free)} confident answers without a cause")
    for name, test in (("earliest", lambda j: j.earliest), ("latest", lambda j: j.latest)):
        if carried and percent(carried, test) > EASY:
            out.append(f"too easy: plain text search ({name} hit) is right in "
                       f"{share(carried, test)}")  # fmt: skip
    if counts:
        many = sum(j.scenario.many for j in carried)
        common = sum(_is_hard(j.scenario) for j in carried)
        if (
            len(judged) < 60
            or 3 * many < len(carried)
            or 3 * common < len(carried)
            or len(free) < 20
        ):
            out.append(f"too small: {len(judged)} runs, {many} with many carriers, {common} "
                       f"respelled or common, {len(free)} without a cause")  # fmt: skip
    return out


def _is_hard(scenario: Scenario) -> bool:
    """Respelled, or a number under 100."""
    return scenario.carried == "respelled" or (
        scenario.value.isdigit() and int(scenario.value) < 100
    )


def print_misses(judged: list[Judged]) -> None:
    """Every scenario that did not come out as it should."""
    for each in judged:
        found, scenario = each.finding, each.scenario
        right = each.first if scenario.truth else not each.confident
        if right and (not scenario.truth or each.confident):
            continue
        print(f"\n{scenario.name} ({scenario.kind}, {scenario.client}): {scenario.value}, "
              f"truth {scenario.truth or 'none'}, at place {each.place}")  # fmt: skip
        print(f"  {each.word}: {found.what}")
        for s in (*found.suspects[:4], *found.near[:2]):
            print(f"  {s.rank}. {s.score:.2f} {s.relation}: {s.hop.what}: {s.quote[:100]}")
            print(f"       {'; '.join(s.reasons)}")


def write(found: list[Scenario], folder: Path) -> int:
    """The scenarios as files, one each."""
    folder.mkdir(parents=True, exist_ok=True)
    for scenario in found:
        text = json.dumps(scenario._asdict(), ensure_ascii=False, indent=1)
        (folder / f"{scenario.name}.json").write_text(text, "utf-8")
    print(f"{len(found)} scenarios written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
