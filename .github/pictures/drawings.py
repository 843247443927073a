#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the drawings of the documentation, each in light and dark.

    .github/pictures/drawings.py Sources/NetworkReachability/Documentation.docc/Resources
"""
import html
import pathlib
import sys

THEMES = {
    "": {"ink": "#1d1d1f", "soft": "#6e6e73", "box": "#f5f5f7", "edge": "#b0b0b8", "good": "#1a7f37", "bad": "#b42318"},
    "~dark": {"ink": "#f5f5f7", "soft": "#a1a1a6", "box": "#26262b", "edge": "#5c5c66", "good": "#56d364", "bad": "#ff7b72"},
}


class Drawing:
    def __init__(self, width, height, title, theme):
        self.size, self.title, self.theme, self.parts = (width, height), title, theme, []

    def text(self, x, y, text, kind="soft", anchor="middle", size=13):
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{self.theme[kind]}">'
                          f"{html.escape(text)}</text>")

    def box(self, x, y, width, *lines, kind="ink", height=None):
        """A box with a heading and lines below it; returns its edges."""
        height = height or 20 + 18 * len(lines)
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="7" fill="{self.theme["box"]}"'
                          f' stroke="{self.theme["edge"]}"/>')
        for row, line in enumerate(lines):
            self.text(x + width / 2, y + 23 + 18 * row, line, kind if row == 0 else "soft", size=14 if row == 0 else 12)
        return x, y, x + width, y + height

    def arrow(self, *points, label="", kind="ink", at=None):
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="{self.theme[kind]}" stroke-width="1.5"'
                          f' marker-end="url(#{kind})"/>')
        if label:
            x, y = at or ((points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2 - 6)
            self.text(x, y, label, "soft" if kind == "ink" else kind, size=12)

    def svg(self):
        heads = "".join(f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
                        f' orient="auto"><path d="M0 0L8 4L0 8z" fill="{self.theme[kind]}"/></marker>'
                        for kind in ("ink", "good", "bad"))
        width, height = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
                f' font-family="system-ui,-apple-system,Helvetica,Arial,sans-serif"><title>{html.escape(self.title)}</title>'
                f"<defs>{heads}</defs>\n" + "\n".join(self.parts) + "\n</svg>\n")


def event(theme):
    d = Drawing(900, 430, "The way of an event, from the kernel to a closure", theme)
    for y, name in ((14, "kernel"), (124, "C core"), (304, "Swift")):
        d.text(14, y + 40, name, "soft", "start")
    d.parts += [f'<path d="M0 {y}H900" stroke="{theme["edge"]}" stroke-dasharray="3 4"/>' for y in (106, 290)]
    d.box(90, 24, 150, "1 event", "RTM_DELROUTE, …")
    d.box(290, 24, 150, "2 socket filter", "concerns a target?")
    d.box(560, 24, 320, "5 barrier, then lookups", "RTM_GETSTATS, RTM_GETROUTE")
    d.box(290, 134, 150, "3 receive", "until none is left")
    d.box(290, 220, 150, "4 mark targets", "and send the batch")
    d.box(560, 134, 150, "6 answers", "paths and verdicts")
    d.box(730, 220, 150, "8 publish", "what differs")
    d.box(560, 220, 150, "7 receive", "an event: again")
    d.box(730, 312, 150, "9 MonitorHub", "one per namespace")
    d.box(510, 312, 160, "10 manager", "state, under its lock")
    d.box(250, 312, 200, "11 deliveries", "with every lock open:", "closures, sequences, observers")
    d.arrow((240, 52), (288, 52))
    d.arrow((365, 80), (365, 132), label="yes", at=(382, 100))
    d.arrow((440, 40), (500, 40), label="no: dropped", kind="bad", at=(492, 32))
    d.arrow((365, 190), (365, 218))
    d.arrow((440, 240), (500, 240), (500, 60), (558, 60))
    d.arrow((635, 80), (635, 132))
    d.arrow((635, 190), (635, 218))
    d.arrow((560, 262), (520, 262), (520, 162), (442, 162), label="again", at=(470, 155))
    d.arrow((710, 248), (728, 248))
    d.arrow((805, 276), (805, 310))
    d.arrow((730, 340), (672, 340))
    d.arrow((510, 340), (452, 340))
    d.text(450, 414, "The last lookup is newer than the last event, so a published state is never stale.", "soft")
    return d.svg()


def explain(theme):
    d = Drawing(900, 300, "The walk that explain takes, and what can end it", theme)
    steps = [("address", "of the name, or", "the deciding probe"), ("policy rule", "mark, uid, source,", "interface"),
             ("route", "table and longest", "matching prefix"), ("link", "up, running,", "carrier"),
             ("source", "own address, not", "tentative, in scope"), ("verdict", "flags,", "interface")]
    ends = ["no address", "prohibit, blackhole", "no route, unreachable", "link down; dormant", "no source", ""]
    for i, (lines, end) in enumerate(zip(steps, ends)):
        x = 12 + 148 * i
        d.box(x, 30, 124, *lines, kind="good" if i == 5 else "ink")
        if i < 5:
            d.arrow((x + 124, 68), (x + 146, 68))
        if end:
            d.arrow((x + 62, 104), (x + 62, 150), kind="bad")
            d.text(x + (74 if i == 1 else 62), 168, end, "bad", size=12)
    d.box(160, 206, 420, "second lookup", "with the source of the first answer, as a socket's connect() does,",
          "where rules or routes select by source", height=76)
    d.arrow((712, 104), (712, 244), (582, 244))
    d.arrow((168, 206), (168, 106))
    return d.svg()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for suffix, colors in THEMES.items():
        (folder / f"event{suffix}.svg").write_text(event(colors))
        (folder / f"explain{suffix}.svg").write_text(explain(colors))
