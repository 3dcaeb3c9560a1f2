#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
#
# Scores the detector of levels over stored latency curves of CPUs whose caches
# are known. Used by hand: the curves are no part of the repository.
#
#	tests/replay/score_curves.py [--memprobe PROGRAM] [--together]
#		DIRECTORY [PATTERN...]
#
# DIRECTORY holds truth.csv (columns id, l1d_kb, l2_kb, l3_kb and, where there
# is one, l4_kb; empty = no such level) and ID.PATTERN.csv for each id. An
# answer is right within -26 %..+34 % of the truth, half a step of the usual
# grid; one that is right for no level is spurious. Without PATTERN all that
# the directory holds are scored, each apart, or all curves of a CPU at once.
#
# Exit status: 0 scored, 2 usage or unreadable data, 3 memprobe did not answer.

import argparse
import collections
import csv
import glob
import json
import os
import subprocess
import sys

LEVELS = [("L1", "l1d_kb"), ("L2", "l2_kb"), ("L3", "l3_kb"), ("L4", "l4_kb")]
LOW, HIGH = 0.74, 1.34


class Fault(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


def read_truth(directory):
    path = os.path.join(directory, "truth.csv")
    truth = collections.OrderedDict()
    try:
        with open(path, newline="", encoding="utf-8") as table:
            for row in csv.DictReader(table):
                truth[row["id"]] = [
                    (name, float(row[column]) * 1024)
                    for name, column in LEVELS if row.get(column)]
    except (OSError, KeyError, ValueError) as error:
        raise Fault(2, "%s: %s" % (path, error)) from error
    if not truth:
        raise Fault(2, "%s: no CPU in it" % path)
    return truth


def patterns_of(directory, truth):
    found = set()
    for cpu in truth:
        for path in glob.glob(os.path.join(directory, cpu + ".*.csv")):
            found.add(os.path.basename(path)[len(cpu) + 1:-len(".csv")])
    if not found:
        raise Fault(2, "%s: no curve ID.PATTERN.csv in it" % directory)
    # The curves with few page walks first: they are what counts.
    return sorted(found, key=lambda pattern: (pattern != "page_random", pattern))


def answers(program, paths):
    command = [program, "analyze", "--json", *paths]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        if done.returncode != 0:
            raise Fault(3, "%s: exit %d: %s" % (
                " ".join(command), done.returncode,
                done.stderr.decode(errors="replace").strip()))
        return [level["size_bytes"]
                for level in json.loads(done.stdout.decode())["levels"]]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
        raise Fault(3, "%s: %s" % (" ".join(command), error)) from error


def match(truth, sizes):
    """For each true level the answer nearest to it, or None; what is left."""
    left = list(sizes)
    matched = []
    for _, true_size in truth:
        right = [size for size in left
                 if LOW * true_size <= size <= HIGH * true_size]
        best = min(right, default=None,
                   key=lambda size: max(size / true_size, true_size / size))
        if best is not None:
            left.remove(best)
        matched.append(best)
    return matched, left


def cell(true_size, size):
    if size is None:
        return "%6.0f  missed" % (true_size / 1024)
    return "%6.0f %+5.0f %%" % (true_size / 1024,
                                100 * (size / true_size - 1))


def score_patterns(program, directory, truth, patterns):
    name_all = "+".join(patterns)
    right, total = collections.Counter(), collections.Counter()
    spurious = scored = 0
    print("%s: truth in KiB, and how far off the answer is" % name_all)
    print("%-14s" % "id" + "".join("%-16s" % name for name, _ in LEVELS) +
          "spurious, KiB")
    for cpu, levels in truth.items():
        paths = [os.path.join(directory, "%s.%s.csv" % (cpu, pattern))
                 for pattern in patterns]
        paths = [path for path in paths if os.path.exists(path)]
        if not paths:
            continue
        matched, left = match(levels, answers(program, paths))
        cells = {name: cell(true_size, size)
                 for (name, true_size), size in zip(levels, matched)}
        for (name, _), size in zip(levels, matched):
            total[name] += 1
            right[name] += size is not None
        spurious += len(left)
        scored += 1
        line = "%-14s" % cpu + "".join(
            "%-16s" % cells.get(name, "     -") for name, _ in LEVELS)
        line += " ".join("%.0f" % (size / 1024) for size in left)
        print(line.rstrip())
    print("%s: %d CPUs, %s, spurious %d\n" % (
        name_all, scored,
        ", ".join("%s %d/%d" % (name, right[name], total[name])
                  for name, _ in LEVELS if total[name]), spurious))


def main():
    parser = argparse.ArgumentParser(
        description="Score the detector of levels over stored curves.")
    parser.add_argument("--memprobe", default="build/memprobe",
                        help="program to ask (default: %(default)s)")
    parser.add_argument("--together", action="store_true",
                        help="all curves of a CPU at once")
    parser.add_argument("directory")
    parser.add_argument("pattern", nargs="*")
    options = parser.parse_args()
    try:
        truth = read_truth(options.directory)
        patterns = options.pattern or patterns_of(options.directory, truth)
        for group in [patterns] if options.together else \
                [[pattern] for pattern in patterns]:
            score_patterns(options.memprobe, options.directory, truth, group)
    except Fault as fault:
        print("score_curves: %s" % fault, file=sys.stderr)
        return fault.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
