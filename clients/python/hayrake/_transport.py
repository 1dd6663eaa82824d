"""Requests with the standard library. The module with the same functions for `asyncio` is `_aio_transport`."""
from __future__ import annotations

import http.client
import socket
import ssl
import time
import urllib.error
import urllib.request
import zlib
from typing import Any, Dict, Iterator, Optional

from ._core import (
    BODY_BYTES_MAX,
    ERROR_BYTES_MAX,
    Call,
    Settings,
    answer_of,
    check_file,
    cut,
    is_file,
    silent,
    too_large,
    unreachable,
)

_CHUNK_BYTES = 2**16


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Transport:
    """Proxies are those of the environment (`HTTPS_PROXY`, `NO_PROXY`), as in `urllib`."""

    def __init__(self, settings: Settings, ssl_context: Optional[ssl.SSLContext]) -> None:
        self._settings = settings
        https = urllib.request.HTTPSHandler(context=ssl_context) if ssl_context else urllib.request.HTTPSHandler()
        self._opener = urllib.request.build_opener(_NoRedirects, https)

    def send(self, call: Call) -> Any:
        url = call.url(self._settings.base)
        with self._open(call, url) as response:
            body = b"".join(self._chunks(response, ERROR_BYTES_MAX if response.status >= 300 else BODY_BYTES_MAX))
            if not body and not _has_length(response):
                raise cut("it has no body")
            return answer_of(call, url, response.status, _headers(response), body)

    def stream(self, call: Call) -> Iterator[bytes]:
        url = call.url(self._settings.base)
        with self._open(call, url) as response:
            headers = _headers(response)
            if not is_file(response.status, headers):
                body = b"".join(self._chunks(response, ERROR_BYTES_MAX))
                check_file(url, response.status, headers, body)
            if not _has_length(response):
                raise cut("it has no length")
            yield from self._chunks(response, None)

    def close(self) -> None:
        """Nothing to do: connections are not kept."""

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _open(self, call: Call, url: str) -> Any:
        request = urllib.request.Request(
            url, data=call.content(), headers=call.all_headers(self._settings), method=call.method
        )
        try:
            return self._opener.open(request, timeout=self._settings.timeout_seconds + call.wait_seconds)
        except urllib.error.HTTPError as error:
            # A response, too.
            return error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            # Before Python 3.10, `socket.timeout` is an error of its own.
            if isinstance(reason, (TimeoutError, socket.timeout)):
                raise silent(self._settings) from error
            raise unreachable(self._settings, reason) from error

    def _chunks(self, response: Any, bytes_max: Optional[int]) -> Iterator[bytes]:
        """The body, unpacked. An error response that is too long is cut. Raises for any other."""
        coding = response.headers.get("Content-Encoding", "")
        unpack = zlib.decompressobj(31) if coding == "gzip" else None
        total = 0
        try:
            while True:
                chunk = response.read(_CHUNK_BYTES)
                if not chunk:
                    break
                while chunk:
                    plain = unpack.decompress(chunk, _CHUNK_BYTES * 16) if unpack else chunk
                    chunk = unpack.unconsumed_tail if unpack else b""
                    total += len(plain)
                    if bytes_max is not None and total > bytes_max:
                        if bytes_max == ERROR_BYTES_MAX:
                            return
                        raise too_large()
                    if plain:
                        yield plain
        except (TimeoutError, socket.timeout) as error:
            raise silent(self._settings) from error
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise cut(repr(error)) from error
        # `read` with a size is silent about a connection that ends before `Content-Length`.
        if response.length or (unpack is not None and not unpack.eof):
            raise cut("the connection was closed")


def _has_length(response: Any) -> bool:
    """`http.client` takes headers that end in the middle for all of them. Then those that say the length are missing."""
    return response.length is not None or response.chunked


def _headers(response: Any) -> Dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}
