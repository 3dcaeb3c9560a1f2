# SPDX-License-Identifier: GPL-2.0
"""What the scripts that work with test guests share."""

import fcntl
import glob
import os
import shutil
import subprocess
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
TOP = os.path.join(ROOT, "build/vm")

CFLAGS = ("-std=gnu11 -D_GNU_SOURCE -O2 -g -static -pthread -Wall -Wextra"
          " -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla"
          " -Werror").split()
INCLUDES = ["-I" + os.path.join(ROOT, "module/core"), "-I" + ROOT]
COMPILE_LIMIT_S = 120


class Absent(Exception):
    """What a test stands on is not here: neither passed nor failed."""


class Fault(Exception):
    """Something of the rig failed."""


def kernel_env(kernel):
    """What tests/vm/fetch noted down: release, arch, cross."""
    path = os.path.join(TOP, kernel, "kernel.env")
    try:
        with open(path, encoding="utf-8") as lines:
            return dict(line.rstrip("\n").split("=", 1) for line in lines)
    except FileNotFoundError:
        raise Absent("tests/vm/fetch %s has not been run" % kernel) from None


def owned(command, signal="TERM"):
    """The same command, sent a signal when who starts it dies of whatever."""
    if not shutil.which("setpriv"):
        return command
    return ["setpriv", "--pdeathsig", signal, "--"] + command


def lock(path, limit_s):
    """An open file on which nobody else has a lock, for as long as it lives."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file = open(path, "w", encoding="utf-8")
    until = time.monotonic() + limit_s
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            if time.monotonic() > until:
                file.close()
                raise Fault("%s: another one holds it, for %d s now" % (
                    path, limit_s)) from None
            time.sleep(0.2)


def guest_programs(folder):
    """Programs of a folder, each with its sources.

    A program is a guest_NAME.c that has a main, all guest_NAME_*.c and
    guest_lib*.c.
    """
    def named(pattern):
        return sorted(glob.glob(os.path.join(folder, pattern)))

    programs = {}
    for source in named("guest_*.c"):
        with open(source, encoding="utf-8") as text:
            if "\nint main(" not in text.read():
                continue
        name = os.path.basename(source)[:-2]
        programs[name] = ([source] + named(name + "_*.c") +
                          named("guest_lib*.c"))
    return programs


def compile_static(env, target, sources):
    """A static program for the guest; nothing is done if it is newer."""
    compiler = env["cross"] + "gcc"
    if not shutil.which(compiler):
        raise Absent("no compiler %s here" % compiler)
    sources = [os.path.join(ROOT, source) for source in sources]
    headers = [os.path.join(ROOT, "ioctl/memprobe.h"),
               os.path.join(ROOT, "tests/vm/rig.py")]
    for folder in {os.path.dirname(source) for source in sources}:
        headers += [os.path.join(folder, name) for name in os.listdir(folder)
                    if name.endswith(".h")]
    if os.path.exists(target):
        made = os.path.getmtime(target)
        if all(os.path.getmtime(path) <= made
               for path in sources + headers):
            return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    # Several at once may want the same: what is put in place is whole.
    handle, fresh = tempfile.mkstemp(dir=os.path.dirname(target))
    os.close(handle)
    done = subprocess.run(
        [compiler] + CFLAGS + INCLUDES + ["-o", fresh] + sources,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=COMPILE_LIMIT_S)
    if done.returncode:
        os.unlink(fresh)
        raise Fault("does not compile\n" + done.stdout.rstrip())
    os.chmod(fresh, 0o755)
    os.rename(fresh, target)
