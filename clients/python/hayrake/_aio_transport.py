"""Requests with httpx, for `asyncio`. The module with the same functions for threads is `_transport`."""
from __future__ import annotations

import asyncio
import ssl
from typing import Any, AsyncIterator, Dict, Optional

try:
    import httpx
except ImportError as error:
    raise ImportError("AsyncHayrake needs httpx: pip install httpx") from error

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


class AsyncTransport:
    """Proxies are those of the environment (`HTTPS_PROXY`, `NO_PROXY`), as in httpx."""

    def __init__(self, settings: Settings, ssl_context: Optional[ssl.SSLContext]) -> None:
        self._settings = settings
        self._http = httpx.AsyncClient(verify=ssl_context or True, follow_redirects=False)

    async def send(self, call: Call) -> Any:
        url = call.url(self._settings.base)
        response = await self._open(call, url)
        try:
            bytes_max = ERROR_BYTES_MAX if response.status_code >= 300 else BODY_BYTES_MAX
            body = b"".join([chunk async for chunk in self._chunks(response, bytes_max)])
        finally:
            await response.aclose()
        return answer_of(call, url, response.status_code, _headers(response), body)

    async def stream(self, call: Call) -> AsyncIterator[bytes]:
        url = call.url(self._settings.base)
        response = await self._open(call, url)
        try:
            headers = _headers(response)
            if not is_file(response.status_code, headers):
                body = b"".join([chunk async for chunk in self._chunks(response, ERROR_BYTES_MAX)])
                check_file(url, response.status_code, headers, body)
            async for chunk in self._chunks(response, None):
                yield chunk
        finally:
            await response.aclose()

    async def close(self) -> None:
        await self._http.aclose()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _open(self, call: Call, url: str) -> httpx.Response:
        seconds = self._settings.timeout_seconds
        request = self._http.build_request(
            call.method,
            url,
            content=call.content(),
            headers=call.all_headers(self._settings),
            timeout=httpx.Timeout(seconds, read=seconds + call.wait_seconds, pool=None),
        )
        try:
            return await self._http.send(request, stream=True)
        except httpx.TimeoutException as error:
            raise silent(self._settings) from error
        except (httpx.HTTPError, OSError) as error:
            raise unreachable(self._settings, str(error) or repr(error)) from error

    async def _chunks(self, response: httpx.Response, bytes_max: Optional[int]) -> AsyncIterator[bytes]:
        """The body, unpacked. An error response that is too long is cut. Raises for any other."""
        total = 0
        try:
            async for chunk in response.aiter_bytes():
                total += len(chunk)
                if bytes_max is not None and total > bytes_max:
                    if bytes_max == ERROR_BYTES_MAX:
                        return
                    raise too_large()
                yield chunk
        except httpx.TimeoutException as error:
            raise silent(self._settings) from error
        except (httpx.HTTPError, OSError) as error:
            raise cut(repr(error)) from error


def _headers(response: httpx.Response) -> Dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}
