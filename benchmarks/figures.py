#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws speed.svg and writes the table of README.md, both in this folder, from benchmarks/figures.txt, which
harness.sh --plot writes.

benchmarks/figures.py
"""
import pathlib
import re

HERE = pathlib.Path(__file__).parent
OURS, PEER, YARDSTICK = "ours", "peer", "yardstick"

# Row of the table, label, and kind.
LATENCY = [
    ("raw", "raw socket and one lookup", YARDSTICK),
    ("libnl", "libnl", PEER),
    ("library", "C library", OURS),
    ("100", "C library, 100 targets", OURS),
    ("GLib", "GLib", PEER),
    ("listener", "Swift, own queue", OURS),
    ("bare-main", "thread and main queue", YARDSTICK),
    ("main", "Swift, main queue", OURS),
    ("bare-stream", "thread and AsyncStream", YARDSTICK),
    ("sequence", "Swift, async sequence", OURS),
]
FIRST = [
    ("raw", "raw socket and one lookup", YARDSTICK),
    ("libreach.so, address", "C library, an address", OURS),
    ("libreach.so, internet", "C library, the internet", OURS),
    ("GLib can_reach", "GLib", PEER),
    ("libnl route cache", "libnl", PEER),
]
FIRST_ROUTES = 100_000
STORM = [
    ("raw, v4", "loop of recvmmsg", YARDSTICK),
    ("libnl, 1 v4", "libnl, 1 target", PEER),
    ("GLib, 1 v4", "GLib, 1 target", PEER),
    ("libreach, 1 v4", "C library, 1 target", OURS),
    ("libreach, 400 v4", "C library, 400 targets", OURS),
    ("libreach, 100,000 v4", "C library, 100,000 targets", OURS),
]

WIDTH, LABELS, BARS, ROW = 760, 220, 370, 24

STYLE = """text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 14px }
.note { fill: #59636e }
.ours { fill: #2f81f7 } .peer { fill: #8b949e } .yardstick { fill: #bf8700 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .note { fill: #9198a1 } }"""


class Figures:
    """The file's sections; of a repeated section, the last one counts."""

    def __init__(self, text: str) -> None:
        self.sections = dict(re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", text, re.M | re.S))

    @staticmethod
    def rows(text: str) -> dict[str, list[str]]:
        """The names of rows, and the columns after them."""
        lines = (re.split(r" {2,}", line.strip()) for line in text.splitlines())
        return {cells[0]: " ".join(cells[1:]).split() for cells in lines if len(cells) > 1}

    def table(self, section: str) -> dict[str, list[str]]:
        return self.rows(self.sections[section])

    def first_answers(self) -> dict[str, float]:
        """Names, and wall times over raw's, with FIRST_ROUTES routes."""
        blocks = re.split(r"^(\d+) +wall us.*$", self.sections["first_answer"], flags=re.M)
        block = dict(zip(blocks[1::2], blocks[2::2]))[str(FIRST_ROUTES)]
        return {name: float(cells[1]) for name, cells in self.rows(block).items() if len(cells) > 2}

    def all(self, section: str, pattern: str) -> list[str]:
        """What the pattern's group matched, in order; the pattern has to match."""
        found = re.findall(pattern, self.sections[section], re.M)
        if not found:
            raise SystemExit(f"figures.txt, {section}: no {pattern}")
        return found

    def last(self, section: str, pattern: str) -> str:
        return self.all(section, pattern)[-1]


def panel(top: int, title: str, rows: list[tuple[str, str, float, str]]) -> list[str]:
    """A title, and one bar per row: kind, label, value, and text of the value."""
    most = max(value for _, _, value, _ in rows)
    out = [f'<text class="title" x="0" y="{top + 14}">{title}</text>']
    for number, (kind, label, value, words) in enumerate(rows):
        y = top + 26 + number * ROW
        width = max(1.5, BARS * value / most)
        out += [f'<text x="{LABELS - 10}" y="{y + 13}" text-anchor="end">{label}</text>',
                f'<rect class="{kind}" x="{LABELS}" y="{y}" width="{width:.1f}" height="17" rx="2"/>',
                f'<text class="note" x="{LABELS + width + 6:.1f}" y="{y + 13}">{words}</text>']
    return out


def plot(figures: Figures) -> str:
    latency, storm = figures.table("latency"), figures.table("storm")
    answers = figures.first_answers()
    storms = f"{int(figures.last('storm', r'^([0-9]+) changes')):,}"
    costs = []
    for row, label, kind in STORM:
        share = 100 * float(storm[row][0])
        wrong = ", wrong at the end" if "WRONG" in storm[row] else ""
        costs.append((kind, label, share, f"{share:.3g} %{wrong}"))
    panels = [
        (f"CPU time in a storm of {storms} route changes, of what a read loop takes", costs),
        (f"First answer with {FIRST_ROUTES:,} routes, from fork to verdict, times a raw lookup",
         [(kind, label, answers[row], f"{answers[row]:,.{2 if answers[row] < 10 else 0}f}")
          for row, label, kind in FIRST]),
        ("From a route change to the callback, median, times a raw socket",
         [(kind, label, float(latency[row][3]), latency[row][3]) for row, label, kind in LATENCY]),
    ]
    top, drawn = 0, []
    for title, bars in panels:
        drawn += panel(top, title, bars)
        top += 26 + ROW * len(bars) + 20
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top - 16}" role="img">',
        "<title>Cost of a storm, first answer, and latency, beside a raw socket, libnl, and GLib</title>",
        f"<style>{STYLE}</style>", *drawn, "</svg>\n"])


def rows(figures: Figures) -> list[tuple[str, str, str, str]]:
    """Name, what is measured, yardstick, and ratio."""
    latency, storm = figures.table("latency"), figures.table("storm")

    def decode(kind: str) -> str:
        """The library's instructions over libmnl's."""
        counts = rf"^gcc {kind}, per message: (\d+) instructions .*, libmnl (\d+)"
        ours, theirs = figures.last("instructions", counts)
        return f"{int(ours) / int(theirs):.2f}"

    def joined(*names: str, column: int = 5) -> str:
        """Ratios to the yardstick; column 3 has those to raw, 7 those of CPU time."""
        return " / ".join(latency[name][column] for name in names)

    main = figures.all("first_answer", r"^  libreach.so, internet +\S+ +\S+ +(\S+)")
    wall = figures.all("first_answer", r"^  libreach.so, address +\S+ +(\S+)")
    asked = figures.all("scale", r"all, each asked, to lookups +(\S+)")
    routes = f"{int(figures.last('first_answer', r'^([0-9]+) +wall us')):,}"
    storms = f"{int(figures.last('storm', r'^([0-9]+) changes')):,}"
    change = [f"{int(count):,}" for count in figures.all("instructions", r"^a change, .*: (\d+) instr")]
    dear = figures.all("allocations", r"^\S+: ([0-9.]+) allocations")
    names = figures.all("allocations", r"^(\S+): [0-9.]+ allocations")
    allocations = dict(zip(names, (f"{float(count):.0f}" for count in dear)))
    return [
        ("`ratios`", "128 Ki flags to statuses in C; in Swift", "reading 4 bytes and writing 1; C",
         figures.last("ratios", r"^128 Ki flags, C / .*pass: ([0-9.]+)") + "; "
         + figures.last("ratios", r"^128 Ki flags, Swift .*: ([0-9.]+)")),
        ("`latency`", "C, one target; Swift, own queue / SystemConfiguration on a queue", "GLib",
         joined("library") + "; " + joined("listener", "sc-queue")),
        ("", "C with 20 / 60 / 100 targets behind the route that changes", "C, one target",
         joined("20", "60", "100")),
        ("", "Swift: two listeners / the same program again", "Swift, own queue",
         joined("two", "again")),
        ("", "20 managers, each with a queue: latency; CPU time", "GLib, one target",
         joined("managers") + "; " + joined("managers", column=7)),
        ("", "Swift: main queue", "a thread with raw's loop and `DispatchQueue.main.async`", joined("main")),
        ("", "Swift: `snapshots`", "the same thread and an `AsyncStream`", joined("sequence")),
        ("", "`AFNetworkReachabilityManager` / SystemConfiguration on a run loop",
         "the same thread and the main run loop", joined("af", "sc-runloop")),
        ("", "for information: C / own queue / main queue / `snapshots` / GLib / libnl",
         "`recv` and one `RTM_GETROUTE` (raw)",
         joined("library", "listener", "main", "sequence", "GLib", "libnl", column=3)),
        ("", "the first event of a process: C / Swift, own queue / libnl", "GLib's first event",
         " / ".join(latency[f"first, {name}"][3] for name in ["library", "listener", "libnl"])),
        ("", "the first event of a process's second monitor", "its later events",
         latency["first, second"][4]),
        ("`first_answer`", f"`reach_check` of an address, fork to verdict, 10 / {routes} routes",
         "one raw `RTM_GETROUTE`", f"{wall[0]} / {wall[-1]}"),
        ("", f"the internet, in `main`, {routes} routes", "10 routes",
         f"{float(main[-1]) / float(main[0]):.2f} ({main[0]} us)"),
        ("`storm`", f"CPU in {storms} route changes elsewhere: 400 / 100,000 targets",
         "a loop of `recvmmsg`", " / ".join(
             f"{float(storm[name][0]):.2g}" for name in ["libreach, 400 v4", "libreach, 100,000 v4"])),
        ("`scale`", "every target looked up again after an event, IPv6 / IPv4",
         "batched `RTM_GETROUTE`", " / ".join(asked[-2:])),
        ("`start`", "`reachctl flags 0`, the whole process", "an empty Swift program",
         figures.last("start", r"ratio ([0-9.]+)")),
        ("`build`", "clean release build as a dependency, CPU", "swift-log",
         figures.last("build", r"ratio ([0-9.]+)")),
        ("`instructions`", "decoding routes / events / addresses / links / varied events", "libmnl's idiom",
         " / ".join(map(decode, ["routes4", "events", "addresses", "links", "varied-events"]))),
        ("", "of a change with 1 / 20 / 100 targets", "none", " / ".join(change)),
        ("`allocations`", "of a change: C / own queue / main queue / two / observer / sequence", "none",
         " / ".join(allocations[name] for name in
                    ["monitor", "listener", "main", "two", "observer", "sequence"])),
        ("", "`AFNetworkReachabilityManager` / SystemConfiguration / 20 managers", "none",
         " / ".join(allocations[name] for name in ["af", "sc", "managers"])),
    ]


def main() -> None:
    figures = Figures((HERE / "figures.txt").read_text(encoding="utf-8"))
    (HERE / "speed.svg").write_text(plot(figures), encoding="utf-8")
    page = HERE / "README.md"
    lines = ["| part | measured | yardstick | ratio or count |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows(figures)]
    text, count = re.subn(r"(?<=\n\n)\| part \|.*?(?=\n\n)", lambda _: "\n".join(lines),
                          page.read_text(encoding="utf-8"), flags=re.S)
    if count != 1:
        raise SystemExit("README.md: no table that begins with part")
    page.write_text(text, encoding="utf-8")


main()
