#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the Swift tests detect the bugs that they claim to detect: each Swift/*.mutant breaks one promise, and
the tests that it names must then fail, or hang.

  Tests/Mutants/swift.py FOLDER [MUTANT...]    FOLDER receives a copy of the package, and its build

All mutants are in one build: in the copy, each original text becomes a choice, and the environment variable
REACH_MUTANT has the number of the mutant that is on. A mutant has these lines:
  breaks: the promise
  test: FILTER...       regular expressions, as `swift test --filter` takes them
  in: FILE
  as: expression        only if the text is one; else it is one or more statements
  - text that FILE contains once  (any white space matches any other)
  + its replacement; or, if it has the word `mutant`, both: the word tells whether the mutant is on
The run fails if a mutant's text isn't found exactly once, if the copy doesn't compile, if a test fails without a mutant,
or if none fails with one. Network namespaces require root.
"""
import concurrent.futures
import glob
import os
import re
import resource
import signal
import subprocess
import sys
import time

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
FOLDER = os.path.abspath(sys.argv[1])
COPY = FOLDER + "/package"

SWITCH = """internal import Glibc

private let chosen = unsafe getenv("REACH_MUTANT").flatMap { unsafe Int(String(cString: $0)) }

@usableFromInline @inline(never) func mutant(_ number: Int) -> Bool { number == chosen }
"""

# What no mutant needs isn't built.
MANIFEST = """
let needed: Set = [%s]
let unneeded = Set(package.targets.filter { $0.type == .test && !needed.contains($0.name) }.map(\\.name))
    .union(["AllProducts", "CReachFuzz"])
package.targets.removeAll { unneeded.contains($0.name) }
"""


class Mutant:
    def __init__(self, path, number):
        lines = open(path).read().splitlines()
        field = lambda name: next((line[len(name) + 2 :] for line in lines if line.startswith(name + ": ")), "")
        text = lambda sign: "\n".join(line[2:] for line in lines if line[:1] == sign)
        self.name = os.path.basename(path).removesuffix(".mutant")
        self.number, self.breaks, self.file = number, field("breaks"), field("in")
        self.filters, self.is_expression = field("test").split(), field("as") == "expression"
        self.old, self.new = text("-"), text("+")
        if not (self.breaks and self.filters and self.file and self.old.strip()):
            sys.exit(f"{path}: a line is missing")
        if self.old.startswith("defer") and not re.search(r"\bmutant\b", self.new):
            sys.exit(f"{path}: a deferred statement would run at the end of the choice")

    def place(self, text):
        found = list(re.finditer(r"\s+".join(map(re.escape, self.old.split())), text))
        if len(found) != 1:
            sys.exit(f"{self.name}: found its text {len(found)} times in {self.file}, not once")
        return found[0].span()

    def choice(self, old):
        if re.search(r"\bmutant\b", self.new):
            return re.sub(r"\bmutant\b", f"mutant({self.number})", self.new)
        if self.is_expression:
            return f"(mutant({self.number}) ? {self.new} : {old})"
        return f"if mutant({self.number}) {{\n{self.new}\n}} else {{\n{old}\n}}"


def mutated(file, mutants):
    text = open(file).read()
    places = sorted((mutant.place(text), mutant) for mutant in mutants)
    end, result = 0, ""
    for (start, stop), mutant in places:
        if start < end:
            sys.exit(f"{mutant.name}: its text overlaps another mutant's")
        result += text[end:start] + mutant.choice(text[start:stop])
        end = stop
    return result + text[end:]


def copy(mutants):
    """Copies the package; unchanged files keep their time, so that they aren't compiled again."""
    wanted = {"Package.swift": open("Package.swift").read()}
    tests = {match for mutant in mutants for filter in mutant.filters for match in [filter.split(".")[0]]}
    wanted["Package.swift"] += MANIFEST % ", ".join(f'"{name}"' for name in sorted(tests))
    for mutant in mutants:
        wanted[mutant.file] = None
        wanted[os.path.join(*mutant.file.split("/")[:2], "Mutant.swift")] = SWITCH
    for file in wanted:
        if wanted[file] is None:
            wanted[file] = mutated(file, [mutant for mutant in mutants if mutant.file == file])
    links = {}
    for folder, folders, names in os.walk("Sources"):
        for file in (os.path.join(folder, name) for name in folders + names):
            if os.path.islink(file):
                links[file] = os.readlink(file)
            elif not os.path.isdir(file):
                wanted.setdefault(file, open(file, "rb").read())
    for folder, folders, names in os.walk(COPY + "/Sources"):
        for file in (os.path.join(folder, name) for name in folders + names):
            name = os.path.relpath(file, COPY)
            if name not in wanted and not os.path.isdir(file) or os.path.islink(file) and name not in links:
                os.remove(file)
    for file, content in wanted.items():
        content = content.encode() if isinstance(content, str) else content
        target = os.path.join(COPY, file)
        if not os.path.exists(target) or open(target, "rb").read() != content:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            open(target, "wb").write(content)
    for file, content in links.items():
        target = os.path.join(COPY, file)
        if not os.path.islink(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(content, target)
    for name in ("Tests", "include"):
        if not os.path.islink(f"{COPY}/{name}"):
            os.symlink(os.path.abspath(name), f"{COPY}/{name}")


def build():
    words = ["swift", "build", "--build-tests", "--package-path", COPY, "--scratch-path", FOLDER + "/build"]
    # One process per module does less work than SwiftPM's groups of files.
    for word in "-wmo -num-threads 2 -suppress-warnings -gnone".split():
        words += ["-Xswiftc", word]
    log = open(FOLDER + "/build.log", "w+")
    if subprocess.run(words, stdout=log, stderr=subprocess.STDOUT).returncode != 0:
        log.seek(0)
        print(*[line for line in log if "error:" in line][:20], sep="", file=sys.stderr)
        sys.exit(f"the copy doesn't compile: {log.name}")
    return glob.glob(FOLDER + "/build/debug/*PackageTests.xctest")[0]


def run(program, filters, log, limit, mutant=None):
    """Runs tests in a process group of their own; returns "passed", "failed", or "hangs", and the seconds."""
    words = [program, "--testing-library", "swift-testing"]
    for filter in filters:
        words += ["--filter", filter]
    environment = dict(os.environ, **({} if mutant is None else {"REACH_MUTANT": str(mutant.number)}))
    start = time.monotonic()
    with open(log, "w") as output:
        child = subprocess.Popen(
            words, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            result = "passed" if child.wait(limit) == 0 else "failed"
        except subprocess.TimeoutExpired:
            result = "hangs"
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
    return result, time.monotonic() - start


def main():
    start = time.monotonic()
    paths = sorted(glob.glob("Tests/Mutants/Swift/*.mutant"))
    mutants = [Mutant(path, number) for number, path in enumerate(paths, 1)]
    names = {os.path.basename(path).removesuffix(".mutant") for path in sys.argv[2:]}
    chosen = [mutant for mutant in mutants if not names or mutant.name in names]
    os.makedirs(FOLDER + "/logs", exist_ok=True)
    copy(mutants)
    program = build()
    built = time.monotonic()
    # Broken code mostly waits, so there are more of them than processors.
    pool = concurrent.futures.ThreadPoolExecutor(6 * (os.cpu_count() or 1))
    tests = sorted({tuple(mutant.filters) for mutant in chosen})
    sane = pool.map(lambda test: run(program, test[1], f"{FOLDER}/logs/{test[0]}", 300), enumerate(tests))
    times = {}
    for number, (filters, (result, seconds)) in enumerate(zip(tests, sane)):
        times[filters] = seconds
        if result != "passed":
            pool.shutdown(cancel_futures=True)
            sys.exit(f"without a mutant, a test {result}: {' '.join(filters)}: {FOLDER}/logs/{number}")
    passed = time.monotonic()

    def judge(mutant):
        limit = 8 + 4 * times[tuple(mutant.filters)]
        return run(program, mutant.filters, f"{FOLDER}/logs/{mutant.name}", limit, mutant)[0]

    results = dict(zip(chosen, pool.map(judge, chosen)))
    for mutant, result in results.items():
        if result == "passed":
            print(f"{mutant.name}: the tests didn't fail: {mutant.breaks}", file=sys.stderr)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    hangs = sum(result == "hangs" for result in results.values())
    print(f"{built - start:.0f} s to build, {passed - built:.0f} s without a mutant, {time.monotonic() - passed:.0f} s with"
          f" one; {used.ru_utime + used.ru_stime:.0f} s of processor time; {hangs} hang")
    if "passed" in results.values():
        sys.exit("not all mutants are dead")
    print(f"{len(chosen)} Swift mutants, all dead")


main()
