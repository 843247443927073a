#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records `reachctl watch` beside a pulled cable, and writes the recording as an SVG.

    unshare -Urnm .github/pictures/watch.py .build/debug/reachctl >.github/pictures/watch.svg

Two terminals share one network namespace. The left one runs `reachctl watch`, the right one types commands.
The cable is a veth; its other end is in a namespace of its own. Needs iproute2.
"""
import html
import os
import pty
import re
import select
import subprocess
import sys
import time

TARGET = "203.0.113.9"
SETUP = """
ip link set lo up
ip link add eth0 type veth peer name far
ip link set far netns {far}
nsenter -t {far} -n ip link set far up
ip addr add 192.0.2.10/24 dev eth0
ip link set eth0 up
ip route add default via 192.0.2.1
"""
# The lines of the right terminal. The command behind a comment runs unseen.
SCRIPT = [
    ("ip route get " + TARGET, None),
    ("# the cable is pulled", "nsenter -t {far} -n ip link set far down"),
    ("ip route get " + TARGET, None),
    ("# and plugged in again", "nsenter -t {far} -n ip link set far up"),
]
COLUMNS, ROWS = (62, 56), 6
WIDTH, LINE, PAD, TOP = 8.4, 20, 14, 34


def run(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    # `ip route get` adds a line "cache", which isn't of interest here.
    return [line.strip() for line in done.stdout.splitlines() if line.strip() != "cache"]


def start_far_end():
    far = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo ready; exec cat"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    far.stdout.readline()
    return far


def read_line(fd, kept):
    """Returns the next line of the terminal; exits if there is none within ten seconds."""
    while b"\n" not in kept:
        if not select.select([fd], [], [], 10)[0]:
            sys.exit("watch.py: reachctl printed nothing for ten seconds")
        kept += os.read(fd, 4096)
    line, _, rest = bytes(kept).partition(b"\n")
    kept[:] = rest
    return line.decode().rstrip("\r").expandtabs(4)


def record(tool):
    far = start_far_end()
    for command in SETUP.format(far=far.pid).strip().splitlines():
        run(command)
    left, right, kept = [], [], bytearray()
    begin = time.monotonic()
    child, fd = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS[0]))
        os.execv(tool, [tool, "watch", TARGET])
    def elapsed():
        return time.monotonic() - begin

    left.append((0, "$ reachctl watch " + TARGET))
    left.append((elapsed(), read_line(fd, kept)))
    for text, action in SCRIPT:
        time.sleep(1.6)  # So that a reader can follow.
        right.append((elapsed(), ("$ " if not action else "") + text))
        if action:
            run(action.format(far=far.pid))
            left.append((elapsed(), read_line(fd, kept)))
        else:
            right += [(elapsed(), line) for line in run(text)]
    os.kill(child, 2)
    os.waitpid(child, 0)
    far.stdin.close()
    return left, right


def spans(line):
    """Converts text with SGR sequences to tspans."""
    kind = ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            codes = part[2:-1].split(";")
            kind = {"31": "bad", "32": "good", "33": "warn", "2": "dim"}.get(codes[-1], "")
        elif part:
            yield f'<tspan class="{kind}">{html.escape(part)}</tspan>' if kind else html.escape(part)


def kind_of(line):
    if line.startswith("$ "):
        return "command"
    return "note" if line.startswith("# ") else ""


def terminal(title, lines, x, columns):
    width = columns * WIDTH + 2 * PAD
    yield f'<g transform="translate({x},0)"><rect class="window" width="{width:.0f}" height="{ROWS * LINE + TOP + 10}" rx="8"/>'
    yield f'<text class="title" x="{PAD}" y="20">{html.escape(title)}</text>'
    for row, (_, line) in enumerate(lines):
        yield (f'<text class="line {kind_of(line)}" x="{PAD}"'
               f' y="{TOP + LINE * (row + 0.8):.0f}">{"".join(spans(line))}</text>')
    yield "</g>"


def picture(left, right):
    widths = [columns * WIDTH + 2 * PAD for columns in COLUMNS]
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths) + 12:.0f}" height="{ROWS * LINE + TOP + 10}"'
           f' viewBox="0 0 {sum(widths) + 12:.0f} {ROWS * LINE + TOP + 10}">')
    yield "<title>reachctl watch reports a pulled cable; ip route get still prints a route</title>"
    yield """<style>
.window{fill:#1d2230;stroke:#4a5163}.title{fill:#8c93a5;font:12px sans-serif}
.line{fill:#d7dae0;font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.command{fill:#fff}.note{fill:#e5c07b}.good{fill:#98c379}.bad{fill:#f0717b}.warn{fill:#e5c07b}.dim{fill:#8c93a5}
</style>"""
    yield from terminal("reachctl", left, 0, COLUMNS[0])
    yield from terminal("iproute2", right, widths[0] + 12, COLUMNS[1])
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("\n".join(picture(*record(os.path.abspath(sys.argv[1])))))
