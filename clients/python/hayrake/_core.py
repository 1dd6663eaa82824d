"""What the client of both kinds shares: settings, errors, and what a response means. Sends nothing."""
from __future__ import annotations

import json
import os
import random
import re
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Union
from urllib.parse import quote, urlencode, urlsplit

VERSION = "0.1.0"
# A response that grows beyond this is not hayrake's: its largest are 16 MiB of text, and one page.
BODY_BYTES_MAX = 2**28
ERROR_BYTES_MAX = 2**20
ROWS_MAX = 400
# Seconds that the service waits for the next pages of a running job.
WAIT_SECONDS = 30
# The service ends a scrape or a map itself, by its `timeout`.
SCRAPE_SECONDS = 300
BACK_OFF_MAX_SECONDS = 8.0
RETRY_UNREACHED_SECONDS = 2.0


class HayrakeError(Exception):
    """The one error of the client. Compare `code`, never the message.

    Codes are those of the service (docs/errors.md), and five of the client:

    - `connection_failed`: no response. The service does not run, or the address or the certificate is wrong.
    - `timeout`: the service sent nothing for `timeout_seconds`, or `wait` took longer than its `timeout_seconds`.
    - `response_cut`: the response ended early, or is no JSON.
    - `unexpected_response`: a response that hayrake does not send. The address is that of something else.
    - `redirected`: the address redirects. The client follows no redirect, so that the token goes nowhere else.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Optional[List[Dict[str, str]]] = None,
        request_id: Optional[str] = None,
        retry_after_seconds: Optional[float] = None,
        page: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        #: The HTTP status; 0 without a response.
        self.status = status
        #: The fields that are wrong, with `invalid_body` and `invalid_parameter`.
        self.details = details or []
        #: Identifies the request in the log of the service.
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        #: With `page_damaged`: the number of the page, and where to continue.
        self.page = page
        self.cursor = cursor

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True)
class Settings:
    base: str
    headers: Dict[str, str]
    timeout_seconds: float
    retry_seconds: float


@dataclass(frozen=True)
class Call:
    """One request of the API, before it is sent."""

    path: str
    #: A field that the response has.
    key: str = "data"
    method: str = "GET"
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: How long the service can take besides.
    wait_seconds: float = 0.0
    #: Never sent again once it may have arrived.
    once: bool = False

    def with_query(self, **more: Any) -> "Call":
        return replace(self, query={**self.query, **more})

    def url(self, base: str) -> str:
        given = [(name, _text(value)) for name, value in self.query.items() if value is not None and value is not False]
        return base + self.path + (f"?{urlencode(given)}" if given else "")

    def content(self) -> Optional[bytes]:
        return None if self.body is None else json.dumps(self.body).encode()

    def all_headers(self, settings: Settings) -> Dict[str, str]:
        kind = {} if self.body is None else {"Content-Type": "application/json"}
        own = {"Accept": "application/json, */*;q=0.5", "Accept-Encoding": "gzip", "User-Agent": f"hayrake-python/{VERSION}"}
        return {**own, **kind, **settings.headers, **self.headers}


def settings_of(
    url: Optional[str],
    token: Optional[str],
    headers: Optional[Mapping[str, str]],
    timeout_seconds: float,
    retry_seconds: float,
) -> Settings:
    given = url or os.environ.get("HAYRAKE_URL") or "http://127.0.0.1:8380"
    secret = (token if token is not None else os.environ.get("HAYRAKE_TOKEN", "")).strip()
    try:
        parts = urlsplit(given)
        parts.port  # Raises if it is not a number.
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"The URL of the service is not valid: {given}. It begins with http:// or https://.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("The URL of the service has a user name, password, query or fragment. Leave that out.")
    if not 0 < timeout_seconds < 2**31:
        raise ValueError(f"`timeout_seconds` is a number above 0 and below {2**31}.")
    if not 0 <= retry_seconds < 2**31:
        raise ValueError(f"`retry_seconds` is a number from 0 on and below {2**31}.")
    all_headers = {**({"Authorization": f"Bearer {secret}"} if secret else {}), **(headers or {})}
    for name, value in all_headers.items():
        # The value can be the token, so it is not shown.
        if not re.fullmatch(r"[\t\x20-\x7e]*", value) or not re.fullmatch(r"[!#-'*+.^`|~\w-]+", name, re.ASCII):
            raise ValueError(f"`{name}` is not a valid header: it has characters that no header can have.")
    base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    return Settings(base, all_headers, timeout_seconds, retry_seconds)


def path_of(job: Union[str, Mapping[str, Any]], kind: str = "jobs") -> str:
    """Ids are letters and digits. Anything else could lead to another endpoint."""
    identifier = job if isinstance(job, str) else job["id"]
    if not re.fullmatch(r"\w{1,64}", identifier, re.ASCII):
        raise ValueError(f"This is not an id: {identifier!r}.")
    return f"/crawler/{kind}/{identifier}"


def segment(text: str) -> str:
    return quote(text, safe="")


def answer_of(call: Call, url: str, status: int, headers: Mapping[str, str], body: bytes) -> Any:
    """The JSON of a response. `headers` have lower-case names. Raises `HayrakeError` for everything else."""
    if not 200 <= status < 300:
        raise problem_of(url, status, headers, body)
    value = parsed(body)
    is_json = headers.get("content-type", "").startswith("application/json")
    if is_json and isinstance(value, dict) and call.key in value:
        return value
    if is_json and value is None:
        raise cut("it is no JSON")
    raise unexpected(url, status, body)


def check_file(url: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Raises `HayrakeError` if this cannot be the begin of a file. `body` is needed only of such a response."""
    if not 200 <= status < 300:
        raise problem_of(url, status, headers, body)
    if not is_file(status, headers):
        raise unexpected(url, status, body)


def is_file(status: int, headers: Mapping[str, str]) -> bool:
    """Pages of errors and sign-in pages have these types, and no file of the service has."""
    return 200 <= status < 300 and not headers.get("content-type", "").startswith(("text/html", "application/json"))


def problem_of(url: str, status: int, headers: Mapping[str, str], body: bytes) -> HayrakeError:
    after = retry_after(headers.get("retry-after", ""))
    problem = parsed(body)
    if isinstance(problem, dict) and isinstance(problem.get("code"), str) and isinstance(problem.get("detail"), str):
        return HayrakeError(
            problem["code"],
            problem["detail"],
            status=status,
            details=problem.get("errors"),
            request_id=problem.get("requestId"),
            retry_after_seconds=after,
            page=problem.get("page"),
            cursor=problem.get("cursor"),
        )
    if 300 <= status < 400:
        target = headers.get("location", "another address")[:500]
        message = f"The URL redirects to {target}. Use the address of the service itself."
        return HayrakeError("redirected", message, status=status)
    return unexpected(url, status, body, after)


def unexpected(url: str, status: int, body: bytes, after: Optional[float] = None) -> HayrakeError:
    begin = body[:800].decode("utf-8", "replace").strip()[:200]
    return HayrakeError(
        "unexpected_response",
        f"Status {status} of {url} is not a response of hayrake. Check the URL, and proxies in between. "
        f"The response begins: {begin}",
        status=status,
        retry_after_seconds=after,
    )


def unreachable(settings: Settings, reason: object) -> HayrakeError:
    return HayrakeError(
        "connection_failed",
        f"Cannot reach hayrake at {settings.base}: {reason}. Check the URL, and that the service runs.",
    )


def silent(settings: Settings) -> HayrakeError:
    return HayrakeError("timeout", f"{settings.base} was silent for longer than `timeout_seconds`.")


def cut(reason: object) -> HayrakeError:
    return HayrakeError("response_cut", f"The response ended early: {reason}.")


def too_large() -> HayrakeError:
    return HayrakeError("unexpected_response", f"The response is larger than {BODY_BYTES_MAX} bytes.")


def retry_after(value: str) -> Optional[float]:
    """Seconds, or a date (RFC 9110, 10.2.3)."""
    if re.fullmatch(r"\d{1,9}", value, re.ASCII):
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())


class Retries:
    """Whether and when one request is repeated."""

    def __init__(self, retry_seconds: float) -> None:
        self._retry_seconds = retry_seconds
        self._failed_at: Optional[float] = None
        self._attempt = 0

    def pause(self, error: HayrakeError, call: Call, now: float, is_reached: bool) -> float:
        """Seconds to wait. Raises `error` if the request is not to be repeated. `now` is of a clock that never jumps."""
        # 429 and 503 refuse a request before it has an effect. After the others it may have had one.
        transient = error.status in (502, 504) or error.code in ("connection_failed", "timeout", "response_cut")
        if error.status not in (429, 503) and (call.once or not transient):
            raise error
        # Chance, so that clients which failed together do not return together.
        back_off = min(BACK_OFF_MAX_SECONDS, 0.5 * 2**self._attempt) * random.uniform(0.5, 1)
        seconds = max(error.retry_after_seconds or 0.0, back_off)
        self._attempt += 1
        if self._failed_at is None:
            self._failed_at = now
        # A first request to an address where nothing listens fails soon.
        budget = self._retry_seconds if is_reached else min(self._retry_seconds, RETRY_UNREACHED_SECONDS)
        if now + seconds > self._failed_at + budget:
            raise error
        return seconds


def parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _text(value: Any) -> str:
    if value is True:
        return "true"
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)
