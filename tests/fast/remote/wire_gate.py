"""A process that speaks the wire as it should, but for one thing that its first argument names.

It is run by itself, on nothing but the standard library, as a gate in another language would be: what it does wrong is
in its own hands, not in those of a helper that keeps it from doing so.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
Standing = dict[int, Message]

CONTRACT = {"name": "wire", "version": "1"}
GARBAGE = "Server listening on port 8080"
WRONG = sys.argv[1] if len(sys.argv) > 1 else ""


def write(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def read() -> Message:
    line = sys.stdin.readline()
    if not line:
        if WRONG == "outlives its input":
            time.sleep(1e6)
        sys.exit(0)
    message: Message = json.loads(line)
    return message


def answer(request: Message, result: object) -> None:
    write(id=request["id"], result=result)


def begin() -> None:
    """At the start, before anything is read."""
    if WRONG == "exits at once":
        print("cannot find the configuration", file=sys.stderr, flush=True)
        sys.exit(0)
    if WRONG == "never speaks":
        time.sleep(1e6)
    if WRONG == "greets on standard output":
        print(GARBAGE, flush=True)
    if WRONG == "leaves a process behind":
        subprocess.Popen(["sleep", "1000"], start_new_session=True)


def initialize(request: Message) -> None:
    if WRONG == "declares nonsense":
        answer(request, {"protocol": 1, "contract": {"name": "wire", "version": 1}})
    elif WRONG == "speaks another version":
        answer(request, {"protocol": 2, "contract": CONTRACT})
    else:
        answer(request, {"protocol": 1, "contract": CONTRACT, "reopens": WRONG != "one run"})


def probe(request: Message, standing: Standing) -> None:
    if request["params"]["park"] and WRONG != "never parks":
        write(id=1, method="env/branch", params={"call": request["id"], "label": "probe"})
        if WRONG == "reads one line at a time":
            read()
            answer(request, request["params"]["text"])
        else:
            standing[1] = request
    else:
        answer(request, "something else" if WRONG == "echoes nonsense" else request["params"]["text"])


def commit_effect(request: Message, standing: Standing) -> None:
    """Stand at a point of its own, then admit."""
    if WRONG in IN_A_CALL:
        IN_A_CALL[WRONG](request)
    else:
        call = request["id"]
        standing[call + 100] = request
        write(id=call + 100, method="env/branch", params={"call": call, "label": "the store"})


def flood_log(_: Message) -> None:
    while True:
        os.write(2, b"DEBUG still here\n" * 4096)


def flood_output(_: Message) -> None:
    while True:
        write(id=1, result=None)


def twice(request: Message) -> None:
    answer(request, {"type": "Admitted", "revision": 1})
    answer(request, {"type": "Admitted", "revision": 2})


def half_a_line_and_silence(_: Message) -> None:
    os.write(1, b'{"jsonrpc": "2.0", ')
    time.sleep(1e6)


def half_a_line_and_death(_: Message) -> None:
    os.write(1, b'{"jsonrpc": "2.0", ')
    os._exit(3)


def last_words(_: Message) -> None:
    print("Error: out of memory", file=sys.stderr, flush=True)
    os._exit(0)


def closed_output(_: Message) -> None:
    os.close(1)
    time.sleep(1e6)


def call_back(request: Message, method: str = "env/now", **params: object) -> None:
    write(id=7, method=method, params={"call": request["id"], **params})


def closed_input(request: Message) -> None:
    os.close(0)
    call_back(request)
    time.sleep(1e6)


def survived_by_a_child(_: Message) -> None:
    subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL)  # which holds the pipes for output
    os._exit(5)


def survived_by_a_child_without_a_mark(_: Message) -> None:
    nothing = subprocess.DEVNULL
    child = subprocess.Popen(["sleep", "1000"], env={}, stdin=nothing, stdout=nothing, stderr=nothing)
    print(f"its child is {child.pid}", file=sys.stderr, flush=True)
    os._exit(6)


def asks_without_end(request: Message) -> None:
    while True:
        call_back(request)
        read()


def nested(request: Message) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    os.write(1, f'{{"jsonrpc": "2.0", "id": {request["id"]}, "result": {deep}}}\n'.encode())


def written(request: Message, revision: str) -> None:
    reply = f'{{"type": "Admitted", "revision": {revision}}}'
    os.write(1, f'{{"jsonrpc": "2.0", "id": {request["id"]}, "result": {reply}}}\r\n'.encode())


def raises_at_length(request: Message) -> None:
    data = "x" * 80_000
    write(id=request["id"], error={"code": -32603, "message": "boom\n\x1b[31mred", "data": data})


IN_A_CALL: dict[str, Callable[[Message], object]] = {
    "never answers": lambda _: time.sleep(1e6),
    "ends by itself": last_words,
    "is killed": lambda _: os.kill(os.getpid(), 9),
    "closes its output": closed_output,
    "closes its input": closed_input,
    "dies of a signal without a name": lambda _: os.kill(os.getpid(), 40),
    "is survived by a child": survived_by_a_child,
    "is survived by a child without a mark": survived_by_a_child_without_a_mark,
    "stops itself": lambda _: os.kill(os.getpid(), signal.SIGSTOP),
    "asks without end": asks_without_end,
    "nests too deeply": nested,
    "begins what it never closes": lambda _: os.write(1, b"[" * 100_000 + b"\n"),
    "answers with no number": lambda r: written(r, "NaN"),
    "answers with a number that is too large": lambda r: written(r, "1e400"),
    "answers with a number that not every language has": lambda r: written(r, str(2**53)),
    "answers with a number without end": lambda r: written(r, "9" * 10_000),
    "says a key twice": lambda r: written(r, '1,"revision":2'),
    "answers twice in one message": lambda r: written(r, f'1}},"id":{r["id"]},"x":{{"y":1'),
    "answers with half a character": lambda r: answer(r, {"type": "Refused", "reason": "unknown", "detail": "\ud800"}),
    "answers by a number that is none of ours": lambda r: write(id=r["id"] + 0.5, result=None),
    "answers by a truth": lambda _: write(id=True, result=None),
    "begins with a mark of byte order": lambda _: os.write(1, b"\xef\xbb\xbf{}\n"),
    "floods its log without a line": lambda _: [os.write(2, b"x" * 65536) for _ in iter(int, 1)],
    "raises at length": raises_at_length,
    "floods its log": flood_log,
    "floods its output": flood_output,
    "answers twice": twice,
    "answers what was not asked": lambda r: write(id=r["id"] + 1000, result={"type": "Admitted", "revision": 1}),
    "answers by a text": lambda r: write(id=str(r["id"]), result={"type": "Admitted", "revision": 1}),
    "answers without an id": lambda _: write(result={"type": "Admitted", "revision": 1}),
    "answers and fails": lambda r: write(id=r["id"], result=None, error={"code": 1, "message": "both"}),
    "says nothing": lambda r: write(id=r["id"]),
    "speaks another protocol": lambda r: print(json.dumps({"id": r["id"], "result": None}), flush=True),
    "answers with another operation's reply": lambda r: answer(r, {"type": "Ticked"}),
    "answers with a wrong field": lambda r: answer(r, {"type": "Admitted", "revision": "one"}),
    "answers nothing": lambda r: answer(r, None),
    "raises": lambda r: write(id=r["id"], error={"code": -32603, "message": "boom", "data": "gate.py:1"}),
    "writes garbage": lambda _: print(GARBAGE, flush=True),
    "writes no text": lambda _: os.write(1, b"\xff\xfe\x00\n"),
    "writes an empty line": lambda _: print(flush=True),
    "writes a batch": lambda r: print(json.dumps([{"jsonrpc": "2.0", "id": r["id"], "result": None}]), flush=True),
    "writes half a line": half_a_line_and_silence,
    "dies in a line": half_a_line_and_death,
    "writes a huge line": lambda r: answer(r, {"type": "Refused", "reason": "forbidden", "detail": "x" * 2_000_000}),
    "asks for what there is not": lambda r: call_back(r, method="env/random"),
    "asks with wrong params": lambda r: call_back(r, method="env/fresh_id", prefix=1),
    "asks in another's name": lambda r: call_back(r, call=4711),
}


def claim_dispatch(request: Message, standing: Standing) -> None:
    """While ``commit_effect`` stands."""
    first = next((call for key, call in standing.items() if key > 100), request)
    if WRONG == "answers a call that stands":
        answer(first, {"type": "Admitted", "revision": 1})
    elif WRONG == "asks in the name of a call that stands":
        write(id=9, method="env/now", params={"call": first["id"]})
    else:
        answer(request, {"type": "NotAdmitted"})


def given_up(request: Message, message: Message) -> None:
    """The run has ended while the call stood."""
    if WRONG == "does not give up":
        time.sleep(1e6)
    write(id=request["id"], error=message["error"])


def main() -> None:
    begin()
    standing: Standing = {}
    while True:
        message = read()
        method = message.get("method")
        if method is None:
            request = standing.pop(message["id"])
            if "error" in message:
                given_up(request, message)
            elif request["method"] == "kit/probe":
                answer(request, request["params"]["text"])
            else:
                answer(request, {"type": "Admitted", "revision": 1})
        elif method == "kit/initialize":
            initialize(message)
        elif method == "kit/probe":
            probe(message, standing)
        elif method == "kit/open" and WRONG == "cannot be opened":
            write(id=message["id"], error={"code": -32603, "message": "no such table", "data": "store.py:16"})
        elif method in ("kit/open", "kit/close"):
            answer(message, None)
        elif method == "commit_effect":
            commit_effect(message, standing)
        elif method == "claim_dispatch":
            claim_dispatch(message, standing)
        else:
            write(id=message["id"], error={"code": -32601, "message": method})


if __name__ == "__main__":
    main()
