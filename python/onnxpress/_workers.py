"""Worker processes for batch(): each is a new Python that reads jobs from its standard input.

Unlike those of multiprocessing, they do not import the script that calls batch(), so a script needs no
`if __name__ == "__main__":`. And since each has a pipe of its own, it is known which model a worker died of.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections import deque
from typing import Any, Callable, Sequence

_START = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from onnxpress._workers import serve; serve()"


class WorkerDied(Exception):
    """The process ended before it answered."""


def serve() -> None:
    """What a worker does: answers each (function, arguments) with (result, None) or (None, exception)."""
    import os
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the caller, which ends the workers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a task prints must not get between the answers
    while True:
        try:
            work, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = pickle.dumps((work(*arguments), None))
        except Exception as error:
            answer = _failure(error)
        answers.write(answer)
        answers.flush()


def _failure(error: Exception) -> bytes:
    try:
        return pickle.dumps((None, error))
    except Exception:  # an exception that cannot be sent
        return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))


class Worker:
    """One process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send(list(sys.path))

    def run(self, work: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        self._send((work, tuple(arguments)))
        assert self._process.stdout is not None
        try:
            result, error = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError, OSError) as lost:
            raise WorkerDied from lost
        if error is not None:
            raise error
        return result

    def _send(self, what: Any) -> None:
        assert self._process.stdin is not None
        content = pickle.dumps(what)
        try:
            self._process.stdin.write(content)
            self._process.stdin.flush()
        except OSError as lost:
            raise WorkerDied from lost

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # what was not sent is lost with the worker
                pass
        self._process.wait()


class Pool:
    """Does jobs on several workers; one that dies is replaced, and its job done again."""

    def __init__(self, work: Callable[..., Any], jobs: Sequence[Sequence[Any]], retries: int, step: Callable[[], None]) -> None:
        self._work, self._jobs, self._retries, self._step = work, jobs, retries, step
        self._open = deque(range(len(jobs)))
        self._results: list[Any] = [None] * len(jobs)
        self._errors: list[BaseException] = []
        self._workers: set[Worker] = set()
        self._lock = threading.Lock()

    def run(self, count: int, died: Callable[[Sequence[Any]], Any]) -> list[Any]:
        """The result of each job; `died` makes the one of a job that every worker died of."""
        self._died = died
        threads = [threading.Thread(target=self._tend, daemon=True) for _ in range(min(count, len(self._jobs)))]
        for each in threads:
            each.start()
        try:
            for each in threads:
                each.join()
        except BaseException:  # Ctrl-C
            self._stop()
            raise
        if self._errors:
            raise self._errors[0]
        return self._results

    def _stop(self) -> None:
        with self._lock:
            self._open.clear()
            for each in self._workers:
                each.kill()

    def _next(self) -> int | None:
        with self._lock:
            return self._open.popleft() if self._open else None

    def _start(self) -> Worker:
        worker = Worker()
        with self._lock:
            self._workers.add(worker)
        return worker

    def _end(self, worker: Worker | None) -> None:
        if worker is not None:
            with self._lock:
                self._workers.discard(worker)
            worker.close()

    def _tend(self) -> None:
        worker: Worker | None = None
        try:
            while (index := self._next()) is not None:
                for _ in range(self._retries + 1):
                    try:
                        worker = worker or self._start()
                        self._results[index] = worker.run(self._work, self._jobs[index])
                        break
                    except WorkerDied:
                        self._end(worker)
                        worker = None
                else:
                    self._results[index] = self._died(self._jobs[index])
                with self._lock:
                    self._step()
        except BaseException as error:
            self._errors.append(error)
            with self._lock:
                self._open.clear()
        finally:
            self._end(worker)
