"""What is shown of a dead process' log: the error, and where it was raised."""

from __future__ import annotations

import pytest

from stopcheck.remote._last_words import last_words

THROWN = """\
listening
file:///home/me/gate.js:12
    throw new TypeError("no row for task 7");
          ^

TypeError: no row for task 7
    at Store.task (file:///home/me/store.js:31:11)
    at file:///home/me/gate.js:12:9
    at node:internal/main/run_main_module:28:49 {
  code: 'NO_ROW'
}

Node.js v20.20.2
"""
NEVER_LOADED = """\
file:///home/me/gate.js:3
const x = ;
          ^

SyntaxError: Unexpected token ';'
    at ModuleLoader.moduleStrategy (node:internal/modules/esm/translators:152:18)

Node.js v20.20.2
"""
PARSED = """\
<anonymous_script>:1


SyntaxError: Unexpected end of JSON input
    at JSON.parse (<anonymous>)
    at Interface.<anonymous> (file:///home/me/stopcheck.js:139:26)
    at Interface.emit (node:events:524:28)

Node.js v20.20.2
"""
PYTHON = """\
Traceback (most recent call last):
  File "/home/me/gate.py", line 9, in <module>
    main()
  File "/home/me/store.py", line 4, in main
    raise KeyError("task-7")
KeyError: 'task-7'
"""


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (THROWN, "TypeError: no row for task 7 (at store.js:31)"),
        (NEVER_LOADED, "SyntaxError: Unexpected token ';' (at gate.js:3)"),
        (PARSED, "SyntaxError: Unexpected end of JSON input (at stopcheck.js:139)"),
        (PYTHON, "KeyError: 'task-7' (at store.py:4)"),
        (f"{THROWN}panic: out of memory\n\n", "panic: out of memory"),
        ("Node.js v20.20.2\n", ""),
        ("", ""),
    ],
)
def test_the_error_and_its_place(log: str, words: str) -> None:
    assert last_words(log) == words
