"""The watchdog: code that never comes back is interrupted where it is, and named."""

import signal
import threading
from collections.abc import Callable

import pytest

from stopcheck.kernel import DefaultChooser, HungError, Kernel, Park, ThreadHost, Watchdog, park_here, perform

# A real-time bound is what is under test here; everything else of the kernel is free of real time.
BOUND_S = 0.1


def run(operation: Callable[[], object], host: ThreadHost | None = None) -> None:
    async def actor() -> None:
        await perform(operation)

    kernel = Kernel(DefaultChooser().choose, host=host)
    kernel.spawn("stuck", actor())
    try:
        kernel.run()
    finally:
        kernel.close()


def loops_for_ever() -> None:
    while True:
        pass


def swallows_exceptions() -> None:
    while True:
        try:
            loops_for_ever()
        except Exception:
            continue


def swallows_everything_once() -> None:
    try:
        loops_for_ever()
    except BaseException:
        loops_for_ever()


# Raised in a callback of the garbage collector (Hypothesis has one) the error is dropped by the interpreter, with this
# warning; the watchdog raises it again, which is what the test wants to see.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("operation", [loops_for_ever, swallows_exceptions, swallows_everything_once])
def test_a_loop_in_gate_code_is_interrupted_and_named(operation: Callable[[], object]) -> None:
    with pytest.raises(HungError) as caught, Watchdog(BOUND_S):
        run(operation)
    assert caught.value.actor == "stuck"
    assert "in loops_for_ever" in caught.value.where
    assert __file__ in caught.value.where


def test_outside_a_step_the_run_itself_is_named() -> None:
    with pytest.raises(HungError) as caught, Watchdog(BOUND_S):
        loops_for_ever()
    assert caught.value.actor == "the run"
    assert "in loops_for_ever" in caught.value.where


def test_on_the_thread_host_the_waiting_threads_place_is_named() -> None:
    host = ThreadHost()
    jam = threading.Lock()
    jam.acquire()

    def waits_for_the_jam() -> None:
        with jam:
            park_here(Park("too late"))

    with pytest.raises(HungError) as caught, Watchdog(BOUND_S):
        run(waits_for_the_jam, host)
    jam.release()
    assert caught.value.actor == "stuck"
    assert "waits_for_the_jam" in caught.value.where
    assert host.hung
    host.close()


def test_runs_that_rearm_it_are_never_interrupted() -> None:
    with Watchdog(1000.0) as watchdog:
        for _ in range(50):
            watchdog.rearm()
            for _look in range(3):  # of four in a period
                signal.raise_signal(signal.SIGALRM)


def test_it_does_nothing_off_the_main_thread() -> None:
    armed: list[bool] = []

    def elsewhere() -> None:
        with Watchdog(BOUND_S) as watchdog:
            armed.append(watchdog.armed)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert armed == [False]


def test_it_puts_back_the_timer_and_the_handler_that_were_there() -> None:
    def mine(number: int, frame: object) -> None:
        """Not called: the timer below is far away."""

    before = signal.signal(signal.SIGALRM, mine)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1000.0, 7.0)
        with Watchdog(BOUND_S) as watchdog:
            assert watchdog.armed
            assert signal.getsignal(signal.SIGALRM) is not mine
        assert signal.getsignal(signal.SIGALRM) is mine
        delay, interval = signal.getitimer(signal.ITIMER_REAL)
        assert 0 < delay <= 1000.0
        assert interval == 7.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_bound_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        Watchdog(seconds)
