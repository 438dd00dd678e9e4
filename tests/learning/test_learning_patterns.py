"""Errors become patterns, and patterns of one error converge."""

from __future__ import annotations

import errno
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.calls.error_category import category_of
from hexad.calls.error_text import text_of
from hexad.calls.error_words import MOST_WORDS, essence, pattern_text, split, words_of
from hexad.calls.masking import masked
from hexad.learning.pattern import VARIETY, holds, place
from hexad_evals.grouping import grouped
from tests.support import requirement

LONG = 1000
PYTHON = """Traceback (most recent call last):
  File "a.py", line 3, in f
    g()
KeyError: "name"

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "b.py", line 9, in h
lib.errors.LookupFailed: no name"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: no pool
\tat com.x.A.run(A.java:7)
Caused by: java.net.ConnectException: refused
\tat com.x.B.go(B.java:1)
\t... 3 more"""


@requirement("LEARN-02")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "job 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone",
            "job 9a2504e0-1f89-11d3-9a0c-0305e82c33ff is gone",
        ),
        ("stopped at 2026-01-02T03:04:05Z", "stopped at 2025-11-12 13:14:15.678"),
        (
            "stopped on Mon Jan 02 03:04:05 UTC 2026",
            "stopped on Tue Feb 14 13:14:15 CET 2025",
        ),
        ("no such file: /var/log/app/today.log", "no such file: /home/ann/x"),
        (r"no such file: C:\Users\ann\a.txt", r"no such file: D:\tmp\b"),
        ("cannot read report.pdf", "cannot read notes.txt"),
        ("cannot bind port 8080", "cannot bind port 99"),
        (
            "10.0.0.1:5432 refused the connection",
            "192.168.7.9:1 refused the connection",
        ),
        (
            "fe80::1ff:fe23:4567:890a is unreachable",
            "2001:db8:85a3:8d3:1319:8a2e:370:7348 is unreachable",
        ),
        ("db.example.com:5432 is down", "cache-7.example.org:6379 is down"),
        ("bad pointer 0xdeadbeef", "bad pointer 0x7ffe12"),
        (
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 is unknown",
            "commit deadbeefcafe is unknown",
        ),
        ("expected 3 items, got 7", "expected 12 items, got 1,024"),
        ("took 3.5 seconds", "took 120 ms"),
        ("user 'ann' is locked", 'user "bob smith" is locked'),
        ("cannot mail ann@example.com", "cannot mail bob.smith+x@sub.example.org"),
        (
            "GET https://api.example.com/v1/users/7?x=1 failed",
            "GET http://localhost:8080/a failed",
        ),
        ("node-17 is down", "gpu0 is down"),
        (
            "a.c:83:27: error: expected `;' here",
            "lib/b.c:9:1: error: expected `}' here",
        ),
        ("x.ts(3,5): error TS2304: no name", "src/y.ts(12,1): error TS2304: no name"),
        ("TicketError: INC12345 is closed", "TicketError: INC777 is closed"),
        ("limits [1, 2, 3] are wrong", "limits [4] are wrong"),
        (
            "parse error: input_value=None, input_type=NoneType",
            "parse error: input_value=['a', 2], input_type=list",
        ),
    ],
)
def test_occurrences_of_one_error_share_a_pattern(one: str, other: str) -> None:
    assert len(set(grouped([one, other]))) == 1, (
        pattern_text(words_of(one)),
        pattern_text(words_of(other)),
    )


@requirement("LEARN-02")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("permission denied", "connection refused"),
        ("VM 7 started", "VM 7 stopped"),
        ("HTTP 404 for https://x.example/a", "HTTP 500 for https://x.example/a"),
        ("missing argument 'day'", "missing argument 'owner'"),
        ("KeyError: 'name'", "ValueError: 'name'"),
        ("error[E0382]: borrow of `x`", "error[E0499]: borrow of `x`"),
        ("a.ts(3,5): error TS2304: no 'x'", "a.ts(3,5): error TS2305: no 'x'"),
        ("ORA-00942: no table", "ORA-01017: no table"),
        ("DbError: SQLSTATE[42S02]: failed", "DbError: SQLSTATE[23000]: failed"),
        ("git failed with exit status 1", "git failed with exit status 128"),
        ("[Errno 2] '/a/b'", "[Errno 13] '/a/b'"),
        ('"GET /v2/a/b HTTP/1.1" status 200', '"POST /v2/a/b HTTP/1.1" status 200'),
        ("디스크가 가득 찼습니다", "연결이 거부되었습니다"),
    ],
)
def test_different_errors_do_not_share_a_pattern(one: str, other: str) -> None:
    assert len(set(grouped([one, other]))) == 2


@requirement("LEARN-02")
def test_a_placeholder_says_what_stood_there() -> None:
    text = (
        "ann@x.org at 10.0.0.1 asked http://x.org/a for /tmp/a/b at 12:30:01: 5 of 'this' in blk_17 by "
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    )
    shown = "<email> at <ip> asked <url> for <path> at <time>: <num> of <value> in <id> by <uuid>"
    assert pattern_text(words_of(text)) == shown
    assert masked("took 5 s") == "took <num>"


@requirement("LEARN-02")
def test_a_place_that_holds_many_different_words_becomes_a_wildcard() -> None:
    names = ["ann", "bob", "cid", "dan", "eve", "fay"]
    errors = [f"member {name} is not in the sudoers file" for name in (*names, "gil")]
    assert len(set(grouped(errors[: VARIETY - 1]))) == VARIETY - 1
    assert {pattern_text(each) for each in grouped(errors)} == {
        "member <*> is not in the sudoers file"
    }


@requirement("LEARN-02")
def test_short_messages_stay_apart_however_many_there_are() -> None:
    words = [
        "running",
        "normal",
        "blocked",
        "critical",
        "warning",
        "halted",
        "lost",
        "found",
    ]
    assert len(set(grouped(words))) == len(words)


@requirement("LEARN-02")
@pytest.mark.parametrize(
    ("report", "said"),
    [
        (
            PYTHON,
            "lib.errors.LookupFailed: no name",
        ),
        (
            JAVA,
            "Caused by: java.net.ConnectException: refused",
        ),
        ("two lines\nof prose", "two lines\nof prose"),
    ],
)
def test_a_traceback_is_its_exception_and_message(report: str, said: str) -> None:
    assert essence(report) == said


texts = st.text(max_size=300) | st.lists(
    st.sampled_from(
        [
            "user",
            "17",
            "'a b'",
            "=",
            "x=1",
            "(",
            ")",
            "10.0.0.1",
            "/a/b",
            "ann@x.org",
            ",",
            ":",
            "\n",
            "0x1f",
        ]
    ),
    max_size=30,
).map(" ".join)


@requirement("LEARN-02")
@given(texts)
def test_a_pattern_is_bounded_never_empty_and_can_be_read_back(text: str) -> None:
    words = words_of(text)
    assert 0 < len(words) <= MOST_WORDS
    assert words == words_of(text)
    assert split(pattern_text(words)) == words
    assert not any(each.isspace() or not each for each in words)


@requirement("LEARN-02")
@given(
    st.lists(
        st.lists(
            st.sampled_from(["a", "b", "c", "<num>", "<id>"]), min_size=6, max_size=6
        ).map(tuple),
        max_size=12,
    )
)
def test_where_a_line_belongs_does_not_depend_on_the_order_of_templates(
    lines: list[tuple[str, ...]],
) -> None:
    line = ("user", "x", "is", "not", "known", "here")
    bucket = list(dict.fromkeys(lines))
    assert (
        place(line, bucket) == place(line, bucket[::-1]) == place(line, sorted(bucket))
    )


@requirement("LEARN-02")
@given(
    st.lists(
        st.sampled_from(
            (
                "no row 17",
                "HTTP 404",
                "in 'a 7'",
                "at 10.0.0.4:80",
                "SHA1",
                "a.mp3",
                "::1",
                "exit 3",
            )
        )
    ),
    st.lists(st.integers(0, 9), min_size=12, max_size=12),
)
def test_the_words_of_an_error_do_not_depend_on_those_that_came_before(
    parts: list[str], digits: list[int]
) -> None:
    numbers = iter(digits * len(parts))
    error = " ".join(parts)
    variant = re.sub(r"\d", lambda _: str(next(numbers)), error)
    assert words_of(error)
    assert words_of(variant) == words_of(
        variant + " " * LONG
    )  # a long error is read anew


@requirement("LEARN-02")
def test_a_pattern_is_part_of_another_where_its_words_stand_in_a_row() -> None:
    whole = words_of("RuntimeError: quota exceeded for project 12")
    assert holds(whole, words_of("quota exceeded"))
    assert not holds(whole, words_of("project exceeded"))
    assert not holds(words_of("12"), words_of("13"))


# categories


class RateLimitError(Exception):
    pass


class HTTPStatusError(Exception):
    def __init__(self, code: int) -> None:
        super().__init__("the request failed")
        self.response = type("Response", (), {"status_code": code})()


def wrapped(cause: BaseException, *, explicitly: bool = True) -> Exception:
    error = RuntimeError("the step failed")
    error.__context__ = cause
    if explicitly:
        error.__cause__ = cause
    return error


@requirement("LEARN-03")
@pytest.mark.parametrize(
    ("error", "category"),
    [
        (TimeoutError(), "timeout"),
        (OSError(errno.ETIMEDOUT, "no answer"), "timeout"),
        (HTTPStatusError(504), "timeout"),
        ("Read timed out", "timeout"),
        (PermissionError("no"), "permission"),
        (OSError(errno.EACCES, "no"), "permission"),
        (HTTPStatusError(401), "permission"),
        ("403 Forbidden", "permission"),
        (ConnectionRefusedError(), "provider_error"),
        (RateLimitError("slow down"), "provider_error"),
        (HTTPStatusError(503), "provider_error"),
        ("status code: 429", "provider_error"),
        (ValueError("no such channel"), "tool_error"),
        (ValueError("invalid timeout value 'x'"), "tool_error"),
        (ValueError("timeout must be positive"), "tool_error"),
        ("connection timeout", "timeout"),
        (HTTPStatusError(404), "tool_error"),
        ("no row 403", "tool_error"),
        (Exception(), "general"),
        ("", "general"),
        (wrapped(TimeoutError()), "timeout"),
        (wrapped(wrapped(PermissionError())), "permission"),
        (wrapped(TimeoutError(), explicitly=False), "timeout"),
        (ExceptionGroup("several", [ValueError("x"), TimeoutError()]), "timeout"),
    ],
    ids=repr,
)
def test_an_error_has_the_category_of_its_own_or_of_its_cause(
    error: object, category: str
) -> None:
    assert category_of(error).value == category


@requirement("LEARN-03")
def test_a_suppressed_context_is_no_cause() -> None:
    error = wrapped(TimeoutError(), explicitly=False)
    error.__suppress_context__ = True
    assert category_of(error).value == "tool_error"
    assert text_of(error) == "RuntimeError: the step failed"


@requirement("LEARN-02")
def test_a_value_that_an_error_repeats_is_one_difference() -> None:
    error = "The current branch {0} has no upstream branch. To push it, use git push --set-upstream origin {0}"
    names = ("cart", "login", "tax", "seo", "main", "wishlist")
    assert len(set(grouped([error.format(name) for name in names]))) == 1
    assert len(set(grouped([error.format(name) for name in names[:5]]))) == 5
