"""Running the command as people do: in a process of its own, with nothing left of it afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import stopcheck_fixtures.vendor

VENDOR = Path(next(iter(stopcheck_fixtures.vendor.__path__)))
#: A campaign that is over soon, with bounds in real time that a hung adapter reaches soon.
SHORT = ("--scenario", "before-admission", "--jobs", "1", "--quiet")
#: Becomes the command that follows, marked, and heeding SIGINT: a shell that starts the tests in the background has it
#: ignored, which every process below would inherit.
_MARKED = """
import os, signal, sys
os.environ["STOPCHECK_TEST_RUN"] = str(os.getpid())
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
HASTY = (*SHORT, "--budget", "12", "--execution-seconds", "2", "--silence-seconds", "6")
PATIENCE_S = 60.0


def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


def stopcheck(*arguments: str, hash_seed: str = "0", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``stopcheck`` to its end. Whatever it started must be gone by then."""
    process = start(*arguments, hash_seed=hash_seed, cwd=cwd)
    out, err = process.communicate(timeout=300)
    assert left_behind(process.pid) == []
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def start(*arguments: str, hash_seed: str = "0", cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start ``stopcheck``, marked so that all of its descendants can be found."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "COLUMNS": "80"}
    return subprocess.Popen(
        [sys.executable, "-c", _MARKED, sys.executable, "-m", "stopcheck", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=cwd,
    )


def left_behind(run: int) -> list[int]:
    """Processes that carry the mark of a run, the run itself apart."""
    mark = f"STOPCHECK_TEST_RUN={run}\0".encode()
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != run:
            try:
                if mark in (entry / "environ").read_bytes() + b"\0":
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def write_gate(folder: Path, body: str, name: str = "bad") -> str:
    """A file with a gate that is right but for ``body``, the methods of a subclass; how to name it."""
    path = folder / f"{name}.py"
    head = "import asyncio, os, sys, threading, time\nimport stopcheck.gate as sg\n"
    head += "from stopcheck_fixtures.vendor.simple_gate import Gate as RightGate\n\n\nclass Gate(RightGate):\n"
    indented = "".join(f"    {line}\n" for line in dedent(body).strip().splitlines())
    path.write_text(head + indented)
    return f"{path}:Gate"


def lines(text: str) -> list[str]:
    """The lines that are not empty."""
    return [line for line in text.splitlines() if line.strip()]
