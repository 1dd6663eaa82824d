"""The client for `asyncio`. `npm run docs` writes `client.py`, the same without `async`, from this file."""
from __future__ import annotations

import ssl
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Type, Union
from uuid import uuid4

from . import types
from ._aio_transport import AsyncTransport
from ._core import ROWS_MAX, SCRAPE_SECONDS, WAIT_SECONDS, Call, HayrakeError, Retries, path_of, segment, settings_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A job, or its id.
JobRef = Union[str, "types.Job"]
#: A schedule, or its id.
ScheduleRef = Union[str, "types.Schedule", "types.ChangedSchedule"]


class Snapshot(NamedTuple):
    """All pages that a schedule knows."""

    #: The run whose pages these are; `None` as long as no run knows one.
    run: Optional[str]
    #: Where the feed follows on these pages.
    cursor: str
    pages: "AsyncIterator[types.Page]"


class AsyncHayrake:
    """A hayrake service. Options have the names of the API and are sent as they are.

    `url`: its address, possibly with a path if a proxy adds one. Default: `HAYRAKE_URL`, then http://127.0.0.1:8380.
    `token`: the API token. Default: `HAYRAKE_TOKEN`.
    `headers`: sent with every request, such as what a proxy in front of the service needs.
    `timeout_seconds`: the longest time that the service can be silent. Waiting for pages is added.
    `retry_seconds`: how long a request is repeated after its first failure: after 429, 502, 503 and 504, cut responses
    and failed connections, as `Retry-After` says, or with a growing delay. 0 is never. Until the first response of the
    service it is two seconds at most, so that a wrong address is soon seen.
    `ssl_context`: for certificates that the system does not know.

    Raises `ValueError` for options that are not valid. Every method raises `HayrakeError`.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        headers: Optional[Mapping[str, str]] = None,
        timeout_seconds: float = 60.0,
        retry_seconds: float = 60.0,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._settings = settings_of(url, token, headers, timeout_seconds, retry_seconds)
        self._transport = AsyncTransport(self._settings, ssl_context)
        self._is_reached = False

    async def __aenter__(self) -> "AsyncHayrake":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections that are kept."""
        await self._transport.close()

    async def crawl(
        self,
        urls: Union[str, Sequence[str], None] = None,
        *,
        idempotency_key: Optional[str] = None,
        **options: "Unpack[types.CrawlOptions]",
    ) -> "types.Job":
        """Creates a job that crawls from these URLs, and returns it at once. Read it with `pages`.

        Without URLs, `since` names the job whose start URLs and options it takes over.

        The same `idempotency_key` and options give the same job for 24 hours. Default: a random key.
        """
        body: Dict[str, Any] = dict(options)
        if urls is not None:
            body["urls"] = [urls] if isinstance(urls, str) else list(urls)
        return await self._create("/crawler/jobs", body, idempotency_key)

    async def preview(
        self, urls: Union[str, Sequence[str]], **options: "Unpack[types.CrawlOptions]"
    ) -> "types.CrawlPreview":
        """What `crawl` would begin with: robots.txt, the first page, its links, sitemaps. Nothing is stored."""
        body: Dict[str, Any] = {**options, "urls": [urls] if isinstance(urls, str) else list(urls)}
        return await self._json(
            Call("/crawler/jobs/preview", "links", method="POST", body=body, wait_seconds=SCRAPE_SECONDS)
        )

    async def batch(
        self, urls: Sequence[str], *, idempotency_key: Optional[str] = None, **options: "Unpack[types.BatchOptions]"
    ) -> "types.Job":
        """Creates a job of exactly these pages."""
        return await self._create("/scraper/batch", {**options, "urls": list(urls)}, idempotency_key)

    async def retry(
        self, job: JobRef, *, idempotency_key: Optional[str] = None, **options: "Unpack[types.RetryOptions]"
    ) -> "types.Job":
        """Creates a job that crawls the failed URLs of an ended one."""
        return await self._create(f"{path_of(job)}/retry", dict(options), idempotency_key)

    async def reextract(
        self, job: JobRef, *, idempotency_key: Optional[str] = None, **options: "Unpack[types.ReextractOptions]"
    ) -> "types.Job":
        """Creates a job that converts the pages of an ended one with `store_raw` again, without a request to the site."""
        return await self._create(f"{path_of(job)}/reextract", dict(options), idempotency_key)

    async def scrape(self, url: str, **options: "Unpack[types.ScrapeOptions]") -> "types.ScrapeResponse":
        """Fetches one page now. A page that cannot be had is no error: its `status` says so."""
        body: Dict[str, Any] = {**options, "url": url}
        return await self._json(
            Call("/scraper/scrape", "status", method="POST", body=body, wait_seconds=SCRAPE_SECONDS)
        )

    async def map(self, url: str, **options: "Unpack[types.MapOptions]") -> "types.SiteMap":
        """The URLs of a site, from its sitemaps and the links of one page."""
        body: Dict[str, Any] = {**options, "url": url}
        return await self._json(Call("/scraper/map", method="POST", body=body, wait_seconds=SCRAPE_SECONDS))

    async def job(self, job: JobRef) -> "types.Job":
        return await self._json(Call(path_of(job), "id"))

    def jobs(
        self,
        *,
        q: Optional[str] = None,
        status: Optional[str] = None,
        kind: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "AsyncIterator[types.Job]":
        """All jobs, newest first."""
        return self._rows(Call("/crawler/jobs", query={"q": q, "status": status, "kind": kind, "limit": limit}))

    async def wait(
        self,
        job: JobRef,
        *,
        timeout_seconds: Optional[float] = None,
        on_progress: Optional[Callable[["types.Job"], Any]] = None,
    ) -> "types.Job":
        """Returns the job as soon as it has ended, whatever its `status` then is.

        Raises `timeout` after `timeout_seconds`; the job runs on. `on_progress` gets the job each time that it was read.
        """
        start = time.monotonic()
        while True:
            seen = await self.job(job)
            if on_progress is not None:
                on_progress(seen)
            if seen["status"] not in ("starting", "running"):
                return seen
            passed = time.monotonic() - start
            left = float("inf") if timeout_seconds is None else timeout_seconds - passed
            if left <= 0:
                raise HayrakeError("timeout", f"Job {seen['id']} has not ended in {timeout_seconds} seconds.")
            # Often at first, when most jobs end.
            await self._transport.sleep(min(max(0.2, passed / 10), 5.0, left))

    def pages(
        self,
        job: JobRef,
        *,
        after: Optional[int] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        follow: bool = True,
        links: Optional[str] = None,
        images: Optional[str] = None,
        on_damaged: Optional[Callable[[int], Any]] = None,
    ) -> "AsyncIterator[types.Page]":
        """The pages of a job, each once, in order, and to the end of the job while it runs.

        After a failure the reading continues behind the last page that arrived.

        `after`: continues after the page of this number. `cursor`: continues where an earlier response ended.
        `limit`: rows of a response, 1 to 400. Fewer are requested after a response was cut.
        `follow`: `False` reads only what the job has now.
        `on_damaged`: gets the number of each page that the service cannot read any more; without it the reading raises
        `page_damaged`.
        """
        query = {"after": after, "links": links, "images": images}
        return self._read("data", query, job, cursor, limit, follow, on_damaged)

    def metas(
        self,
        job: JobRef,
        *,
        fields: Optional[Sequence[str]] = None,
        after: Optional[int] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        follow: bool = True,
        on_damaged: Optional[Callable[[int], Any]] = None,
    ) -> "AsyncIterator[types.Meta]":
        """The same without texts. `fields`: names of the metadata fields to return."""
        query = {"after": after, "fields": None if fields is None else list(fields)}
        return self._read("meta", query, job, cursor, limit, follow, on_damaged)

    def urls(
        self,
        job: JobRef,
        *,
        status: Optional[str] = None,
        reason: Optional[str] = None,
        q: Optional[str] = None,
        found_on: Optional[str] = None,
        kind: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        follow: bool = True,
    ) -> "AsyncIterator[types.UrlEntry]":
        """Every URL that the job discovered, once, with its outcome at that time."""
        query = {"status": status, "reason": reason, "q": q, "found_on": found_on, "kind": kind}
        return self._read("urls", query, job, cursor, limit, follow, None)

    def changes(
        self,
        job: Union[JobRef, ScheduleRef],
        *,
        change: Optional[str] = None,
        text: Optional[bool] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        follow: bool = True,
    ) -> "AsyncIterator[types.PageChange]":
        """What changed since the job that `since` names, each page once, also while the job runs.

        Of a schedule, as the service returned it: the same as `feed`.
        """
        query = {"change": change, "text": text}
        if not isinstance(job, str) and "cron" in job:
            return self._read("changes", query, job, cursor, limit, follow, None, "schedules")
        return self._read("changes", query, job, cursor, limit, follow, None)

    async def diff(self, job: Union[JobRef, ScheduleRef], url: str) -> "types.Diff":
        """How the text of a page that changed differs from its earlier one.

        Of a schedule, as the service returned it: the same as `feed_diff`.
        """
        of = "schedules" if not isinstance(job, str) and "cron" in job else "jobs"
        return await self._json(Call(f"{path_of(job, of)}/changes/diff", "hunks", query={"url": url}))

    async def accept_changes(self, job: JobRef) -> "types.Job":
        """Removes the pages that are gone, and takes what else the job doubts when it comes again."""
        return await self._json(Call(f"{path_of(job)}/changes/accept", "id", method="POST"))

    async def why(self, job: JobRef, url: str) -> "types.UrlList":
        """What happened to one URL, in sentences (`explanation`), also if the job never saw it."""
        return await self._json(Call(f"{path_of(job)}/urls", query={"url": url}))

    async def search(
        self, job: JobRef, q: str, *, limit: Optional[int] = None, cursor: Optional[str] = None
    ) -> "types.SearchResults":
        """The best hits first. `indexedPages` is less than `pages` while the service still reads them."""
        return await self._json(Call(f"{path_of(job)}/search", query={"q": q, "limit": limit, "cursor": cursor}))

    async def tree(
        self, job: JobRef, *, prefix: Optional[str] = None, depth: Optional[int] = None, limit: Optional[int] = None
    ) -> "types.Tree":
        """The URLs of a job as a tree of their segments."""
        return await self._json(
            Call(f"{path_of(job)}/tree", query={"prefix": prefix, "depth": depth, "limit": limit})
        )

    async def rules(self, job: JobRef) -> "types.Rules":
        """Where the values of a job with `extract` stand, as a model taught it; `fields` is for the next job."""
        return await self._json(Call(f"{path_of(job)}/extract"))

    async def stats(self, job: JobRef, *, since: Optional[int] = None) -> "types.Stats":
        """How the job went, by second, minute or hour."""
        return await self._json(Call(f"{path_of(job)}/stats", query={"since": since}))

    def export(
        self, job: JobRef, format: str, *, partial: bool = False, after: Optional[int] = None, end: bool = False
    ) -> AsyncIterator[bytes]:
        """The job as one file, in parts. A file that ends early raises `response_cut`.

        A running job needs `partial=True`. `after` is for `jsonl`: begins after the page of this number. `end`, also for
        `jsonl`, adds a last line that a cut file does not have.
        """
        query = {"format": format, "partial": partial, "after": after, "end": end or None}
        return self._parts(Call(f"{path_of(job)}/export", query=query))

    async def raw(self, job: JobRef, page: int, *, rendered: bool = False) -> bytes:
        """The bytes of a page as the site sent them, of a job with `store_raw`; `rendered`: the document after rendering."""
        parts = self._parts(Call(f"{path_of(job)}/pages/{page}/raw", query={"rendered": rendered or None}))
        return b"".join([part async for part in parts])

    async def screenshot(self, job: JobRef, page: int) -> bytes:
        """The image of a page, of a job with `screenshot`."""
        parts = self._parts(Call(f"{path_of(job)}/pages/{page}/screenshot"))
        return b"".join([part async for part in parts])

    async def dropped(self, job: JobRef, page: int) -> "types.Dropped":
        """What was left out of a page, and by which rule. Requests the page once more."""
        return await self._json(Call(f"{path_of(job)}/pages/{page}/dropped", wait_seconds=SCRAPE_SECONDS))

    async def erase_page(self, job: JobRef, page: int, *, url: bool = False) -> "types.Erased":
        """Forgets a page, and with `url` its URL too. Its number stays. Cannot be undone."""
        path = f"{path_of(job)}/pages/{page}/erase"
        return await self._json(Call(path, "jobs", method="POST", body={"url": url}))

    async def cancel(self, job: JobRef) -> "types.Job":
        """Stops a job. Its pages can still be read."""
        return await self._json(Call(f"{path_of(job)}/cancel", "id", method="POST"))

    async def stop(self, job: JobRef) -> "types.Job":
        """Stops a crawl until it is resumed: requests in flight are finished. A job that has ended stays as it is."""
        return await self._json(Call(f"{path_of(job)}/stop", "id", method="POST"))

    async def resume(self, job: JobRef) -> "types.Job":
        """Continues a crawl that was stopped. Any other job stays as it is."""
        return await self._json(Call(f"{path_of(job)}/resume", "id", method="POST"))

    async def delete(self, job: JobRef) -> "types.Job":
        """Stops a job and deletes its results."""
        return await self._json(Call(path_of(job), "id", method="DELETE"))

    async def set_expiry(self, job: JobRef, seconds: Optional[int], *, confirm: bool = False) -> "types.Job":
        """Changes how long the results of an ended job are kept: seconds after its end, `None` until they are deleted.

        A time in the past removes them, and needs `confirm=True`.
        """
        call = Call(path_of(job), "id", method="PATCH", query={"confirm": confirm}, body={"output_expiry": seconds})
        return await self._json(call)

    async def create_schedule(
        self, *, idempotency_key: Optional[str] = None, **schedule: "Unpack[types.NewSchedule]"
    ) -> "types.Schedule":
        """Creates a schedule: a job at certain times."""
        return await self._create("/crawler/schedules", dict(schedule), idempotency_key)

    def schedules(self, *, limit: Optional[int] = None) -> "AsyncIterator[types.Schedule]":
        """All schedules, newest first."""
        return self._rows(Call("/crawler/schedules", query={"limit": limit}))

    async def schedule(self, schedule: ScheduleRef) -> "types.Schedule":
        return await self._json(Call(path_of(schedule, "schedules"), "id"))

    async def change_schedule(
        self, schedule: ScheduleRef, **change: "Unpack[types.ScheduleChange]"
    ) -> "types.ChangedSchedule":
        """Replaces the given fields. `droppedSecrets` names headers and cookies that are no longer stored."""
        return await self._json(Call(path_of(schedule, "schedules"), "id", method="PATCH", body=dict(change)))

    async def delete_schedule(self, schedule: ScheduleRef) -> "types.Schedule":
        """Deletes a schedule. Its jobs stay."""
        return await self._json(Call(path_of(schedule, "schedules"), "id", method="DELETE"))

    def runs(self, schedule: ScheduleRef, *, limit: Optional[int] = None) -> "AsyncIterator[types.Job]":
        """The jobs of a schedule, newest first."""
        return self._rows(Call(f"{path_of(schedule, 'schedules')}/jobs", query={"limit": limit}))

    def feed(
        self,
        schedule: ScheduleRef,
        *,
        change: Optional[str] = None,
        text: Optional[bool] = None,
        from_: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        follow: bool = True,
    ) -> "AsyncIterator[types.FeedChange]":
        """What all runs of a schedule changed, each row once. Goes on for ever, unless `follow` is `False`.

        To continue later, keep the `cursor` of the last row that was dealt with. `from_="now"`: only what comes from now on.
        """
        query = {"change": change, "text": text, "from": from_}
        return self._read("changes", query, schedule, cursor, limit, follow, None, "schedules")

    async def feed_diff(self, schedule: ScheduleRef, url: str) -> "types.Diff":
        """How the newest run of a schedule that changed a page changed its text."""
        return await self._json(Call(f"{path_of(schedule, 'schedules')}/changes/diff", "hunks", query={"url": url}))

    async def snapshot(
        self,
        schedule: ScheduleRef,
        *,
        links: Optional[str] = None,
        images: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> "Snapshot":
        """All pages that a schedule knows, from its newest ended run, and the cursor with which `feed` follows on them."""
        path = f"{path_of(schedule, 'schedules')}/data"
        call = Call(path, query={"links": links, "images": images, "limit": limit})
        first = await self._json(call)
        return Snapshot(first["run"], first["changesCursor"], self._behind(first, call))

    def snapshot_metas(self, schedule: ScheduleRef, *, limit: Optional[int] = None) -> "AsyncIterator[types.Meta]":
        """The same without texts."""
        return self._rows(Call(f"{path_of(schedule, 'schedules')}/meta", query={"limit": limit}))

    async def _behind(self, first: Mapping[str, Any], call: Call) -> "AsyncIterator[Any]":
        for page in first["data"]:
            yield page
        if first.get("cursor") is not None:
            async for page in self._rows(call.with_query(cursor=first["cursor"])):
                yield page

    async def run_schedule(self, schedule: ScheduleRef) -> "types.MadeRun":
        """Makes a run now. `job` is `None` if it waits for the end of the last one."""
        path = f"{path_of(schedule, 'schedules')}/run"
        return await self._json(Call(path, "job", method="POST", once=True))

    def hosts(
        self, *, q: Optional[str] = None, job: Optional[str] = None, limit: Optional[int] = None
    ) -> "AsyncIterator[types.Host]":
        """The hosts that jobs wait for."""
        return self._rows(Call("/crawler/hosts", query={"q": q, "job": job, "limit": limit}))

    def deliveries(self, job: JobRef, *, status: Optional[str] = None) -> "AsyncIterator[types.Delivery]":
        """The events for the `webhook_url` of a job."""
        return self._rows(Call(f"{path_of(job)}/deliveries", query={"status": status}))

    async def replay(self, job: JobRef, delivery: str) -> "types.Delivery":
        """Sends an event again."""
        path = f"{path_of(job)}/deliveries/{segment(delivery)}/replay"
        return await self._json(Call(path, "id", method="POST", once=True))

    async def webhook_key(self) -> "types.WebhookKey":
        """The key that webhooks are signed with."""
        return await self._json(Call("/webhooks/key", "key"))

    async def rotate_webhook_key(self) -> "types.WebhookKey":
        return await self._json(Call("/webhooks/key/rotate", "key", method="POST", once=True))

    async def _create(self, path: str, body: Any, idempotency_key: Optional[str]) -> Any:
        headers = {"Idempotency-Key": idempotency_key or uuid4().hex}
        return await self._json(Call(path, "id", method="POST", body=body, headers=headers))

    def _read(
        self,
        kind: str,
        query: Mapping[str, Any],
        job: Union[JobRef, ScheduleRef],
        cursor: Optional[str],
        limit: Optional[int],
        follow: bool,
        on_damaged: Optional[Callable[[int], Any]],
        of: str = "jobs",
    ) -> AsyncIterator[Any]:
        seconds = WAIT_SECONDS if follow else 0
        all_of_it = {**query, "cursor": cursor, "limit": limit, "wait": seconds}
        call = Call(f"{path_of(job, of)}/{kind}", query=all_of_it, wait_seconds=seconds)
        return self._rows(call, follow, on_damaged)

    async def _rows(
        self, call: Call, follow: bool = True, on_damaged: Optional[Callable[[int], Any]] = None
    ) -> AsyncIterator[Any]:
        given = call.query.get("limit") or ROWS_MAX
        limit = given
        while True:
            retries = Retries(self._settings.retry_seconds)
            while True:
                try:
                    answer = await self._send(call)
                    break
                except HayrakeError as error:
                    if error.code == "page_damaged" and on_damaged is not None and error.cursor and error.page:
                        on_damaged(error.page)
                        call = call.with_query(cursor=error.cursor)
                        continue
                    pause = retries.pause(error, call, time.monotonic(), self._is_reached)
                    if error.code == "response_cut":
                        # What cuts long responses lets a shorter one pass.
                        limit = max(1, limit // 4)
                        call = call.with_query(limit=limit)
                await self._transport.sleep(pause)
            for row in answer["data"]:
                yield row
            cursor = answer.get("cursor")
            if cursor is None or (not follow and not answer["data"]):
                return
            call = call.with_query(cursor=cursor)
            if limit < given:
                limit = min(given, 2 * limit)
                call = call.with_query(limit=limit)

    async def _parts(self, call: Call) -> AsyncIterator[bytes]:
        retries = Retries(self._settings.retry_seconds)
        has_begun = False
        while True:
            try:
                async for part in self._transport.stream(call):
                    has_begun = True
                    yield part
                return
            except HayrakeError as error:
                self._is_reached = self._is_reached or error.request_id is not None
                if has_begun:
                    raise
                pause = retries.pause(error, call, time.monotonic(), self._is_reached)
            await self._transport.sleep(pause)

    async def _json(self, call: Call) -> Any:
        retries = Retries(self._settings.retry_seconds)
        while True:
            try:
                return await self._send(call)
            except HayrakeError as error:
                pause = retries.pause(error, call, time.monotonic(), self._is_reached)
            await self._transport.sleep(pause)

    async def _send(self, call: Call) -> Any:
        try:
            answer = await self._transport.send(call)
        except HayrakeError as error:
            self._is_reached = self._is_reached or error.request_id is not None
            raise
        self._is_reached = True
        return answer
