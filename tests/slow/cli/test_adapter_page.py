"""The page that says how to write an adapter: its commands are run as they stand there, and print what it shows."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.fast.cli.blanks import fill

PAGE = Path(__file__).parents[3] / "docs" / "adapter.md"
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(text: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def counted(text: str) -> str:
    """Without the numbers of verdicts, which change with every scenario, and the bodies of tokens."""
    return re.sub(r"\d+ (?=[A-Z]{4})", "n ", re.sub(r"(sc1\.[\w-]+)\.\S+", r"\1.…", text))


def test_from_nothing_to_a_gate_that_is_tried(tmp_path: Path) -> None:
    folder = tmp_path
    blanks: dict[int, str] = {}
    kit = f"{Path(sys.executable).parent}/stopcheck"
    for language, text in _BLOCK.findall(PAGE.read_text()):
        if language == "python":
            blanks[len(blanks) + 1] = textwrap.indent(text.strip(), " " * 8).strip()
            if len(blanks) == 3:
                fill(folder / "gate.py", blanks)
                gate = (folder / "gate.py").read_text()
                (folder / "gate.py").write_text(gate.replace("import msgspec\n", "import sqlite3\nimport msgspec\n", 1))
            continue
        for command, printed in shown(text):
            if command.startswith("cd "):
                folder /= command.removeprefix("cd ")
                continue
            done = subprocess.run(
                command.replace("stopcheck ", f"{kit} ", 1),
                shell=True,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                env={"PATH": "/usr/bin:/bin", "COLUMNS": "120"},
            )
            said = done.stdout.replace(str(tmp_path), "…")
            assert counted(said) == counted(printed), f"{command}\n{said}{done.stderr}"
