"""What fills the blanks of scaffolds, as shortly as may be: tasks in memory, as rows of JSON."""

from __future__ import annotations

import re
from pathlib import Path

PYTHON = {
    1: "self._rows: dict[sg.TaskRef, bytes] = {}",
    2: "return [msgspec.json.decode(row, type=Task) for row in self._rows.values()]",
    3: "self._rows[task.ref] = msgspec.json.encode(task)",
}
NODE = {
    1: "this.rows = new Map();",
    2: "const row = this.rows.get(JSON.stringify(ref)); return row === undefined ? null : JSON.parse(row);",
    3: "return [...this.rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => JSON.parse(row));",
    4: "this.rows.set(JSON.stringify(task.ref), JSON.stringify(task));",
}


def fill(path: Path, blanks: dict[int, str]) -> None:
    """Put code where the file says that it is missing."""
    text = path.read_text()
    for number, code in blanks.items():
        missing = re.search(rf"^ +((raise|throw) .*BLANK {number} of .*)$", text, re.MULTILINE)
        assert missing is not None, number
        text = text.replace(missing[1], code)
    if path.suffix == ".py":
        text = text.replace("from msgspec.structs import", "import msgspec\nfrom msgspec.structs import")
    path.write_text(text)
