"""``python -m tests.fast.corpus [NAME ...]``: make the entries of the corpus again, all or the named ones.

Only when a change of what tokens replay to is meant: the diff is what its users will see.
"""

from __future__ import annotations

import sys

from tests.fast.corpus.cases import CASES, make
from tests.fast.corpus.entries import FOLDER, path_of, render, replayed_of, token_of


def main(names: list[str]) -> None:
    """Write the entries, and say which are new or other than before."""
    unknown = set(names) - {case.name for case in CASES}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}; known: {', '.join(case.name for case in CASES)}")
    FOLDER.mkdir(exist_ok=True)
    for case in CASES:
        if names and case.name not in names:
            continue
        path = path_of(case)
        before = path.read_text() if path.exists() else ""
        token = make(case).token()
        entry = render(case, token, replayed_of(case, token))
        path.write_text(entry)
        if not before:
            print(f"new: {case.name}")
        elif token != token_of(before):
            print(f"another token: {case.name} (whoever kept the old one cannot replay it any more)")
        elif entry != before:
            print(f"another run: {case.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
