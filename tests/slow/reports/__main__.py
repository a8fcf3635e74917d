"""Makes the published reports of all gates that can run here, or those that are named:
``python -m tests.slow.reports [NAME ...]``."""

from __future__ import annotations

import os
import shutil
import sys

from tests.slow.reports.picture import PICTURED, take
from tests.slow.reports.recipes import FOLDER, RECIPES, ROOT, rendered


def main(names: list[str]) -> None:
    """Replace each report's folder by what its recipe makes."""
    os.chdir(ROOT)
    for name in names or RECIPES:
        if why := RECIPES[name].missing():
            print(f"{name}: not made, {why}")
            continue
        files = rendered(RECIPES[name].made(), RECIPES[name])
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        (FOLDER / name).mkdir(parents=True)
        for file, content in files.items():
            (FOLDER / name / file).write_bytes(content)
        print(f"{name}: {', '.join(f'{file} {len(content):,}' for file, content in files.items())}")
        if name == PICTURED:
            print(take())


main(sys.argv[1:])
