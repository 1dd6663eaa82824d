# Written by `npm run docs` from the API. Do not edit.
"""The shapes of the API. docs/openapi.json says what each field means."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

class Progress(TypedDict):
    discovered: int
    queued: int
    inFlight: int
    scraped: int
    discarded: int
    failed: int
    outside: int


class Finding(TypedDict):
    code: Literal["page_limit_reached", "fetch_limit_reached", "time_limit_reached", "url_limit_reached", "cancelled", "blocked", "signed_out", "same_page", "language_changed", "all_off_host", "only_nofollow", "pattern_unmatched", "shrunk", "site_changed", "lastmod_untrue", "robots_forbids", "empty_pages", "host_unreachable", "start_moved", "failed_pages", "no_pages", "needs_javascript", "browser_missing", "render_failed", "links_cut", "truncated", "sitemap_unreadable", "no_text_layer", "page_damaged", "delay_too_long", "extract_incomplete", "model_unavailable", "retry_partial", "no_raw"]
    count: int
    example: str
    message: str
    remedy: str


class JobScreenshot1(TypedDict):
    format: Literal["png", "jpeg"]
    full_page: bool


class _JobNoticesItem(TypedDict):
    code: Literal["robots_ignored", "not_public", "host_unresponsive", "copies_paused", "network_down", "cookies_cut", "unreadable_text", "removals_held", "lastmod_ignored", "all_changed", "script_pages", "browser_unsandboxed", "rendered_pages", "render_cut", "wait_for_unmatched", "unfollowed_navigation", "pattern_unused", "declared_unreadable", "duplicate_urls", "no_screenshot", "fields_ignored", "exclude_unmatched", "notices_cut", "robots_cut", "sitemap_missing", "script_links", "trap"]
    message: str
    at: int


class JobNoticesItem(_JobNoticesItem, total=False):
    count: int
    example: str


class _JobWebhookFailsItem(TypedDict):
    at: int
    event: Literal["job.started", "job.progress", "job.finished", "schedule.changed"]
    message: str


class JobWebhookFailsItem(_JobWebhookFailsItem, total=False):
    statusCode: int


class JobChanges(TypedDict):
    added: int
    changed: int
    moved: int
    unchanged: int
    removed: int
    unknown: int


class _Job(TypedDict):
    id: str
    org: str
    kind: Literal["crawl", "scrape", "batch", "map", "reextract"]
    status: Literal["starting", "running", "succeeded", "failed", "cancelled"]
    createdAt: int
    finishedAt: Union[int, None]
    stoppedAt: Union[int, None]
    complete: Union[bool, None]
    findings: List[Finding]
    urls: List[str]
    since: Union[str, None]
    deliver: Literal["all", "changed"]
    confirm_runs: int
    trust_lastmod: bool
    output_format: Literal["markdown", "text", "html"]
    formats: List[Literal["markdown", "html", "text", "links", "images", "source", "dropped"]]
    exclude_globs: List[str]
    include_globs: List[str]
    deliver_globs: List[str]
    exclude_patterns: List[str]
    include_patterns: List[str]
    pattern_target: Literal["url", "path"]
    allow_external: bool
    ignore_query: bool
    exclude_elements: str
    include_elements: str
    content: Literal["auto", "full"]
    links: Literal["inline", "reference", "none"]
    images: Literal["all", "described", "none"]
    title: Literal["page", "auto"]
    extract: Union[Extract, None]
    output_expiry: Union[int, None]
    error_pages: bool
    min_length: int
    page_limit: int
    fetch_limit: int
    time_limit: int
    host_delay_ms: Union[int, None]
    host_concurrency: Union[int, None]
    unreachable_seconds: Union[int, None]
    url_timeout: Union[int, None]
    max_depth: Union[int, None]
    force_crawling_mode: Union[Literal["link", "sitemap"], None]
    scope: Literal["host", "path", "subdomains"]
    follow_logout: bool
    follow_nofollow: bool
    trap_detection: bool
    use_browser: Union[bool, Literal["auto"]]
    wait_for: Union[Union[str, int], None]
    screenshot: Union[JobScreenshot1, None]
    store_raw: bool
    block_resources: bool
    include_linked_files: bool
    respect_robots: bool
    insecure_tls: bool
    proxy: Union[str, None]
    keep_cookies: bool
    headers: List[str]
    cookies: List[str]
    priority: Literal["low", "normal", "high"]
    webhook_url: Union[str, None]
    expiresAt: Union[int, None]
    expired: bool
    sitemapPageCount: int
    fetchedBytes: int
    progress: Progress
    reasons: Dict[str, int]
    droppedWords: Dict[str, int]
    notices: List[JobNoticesItem]
    webhookFails: List[JobWebhookFailsItem]
    costCents: int


class Job(_Job, total=False):
    reextractOf: str
    retryOf: str
    changes: JobChanges
    schedule: str


class JobListCounts(TypedDict):
    starting: int
    running: int
    succeeded: int
    failed: int
    cancelled: int
    stopped: int


class _JobList(TypedDict):
    data: List[Job]
    counts: JobListCounts


class JobList(_JobList, total=False):
    countsCut: Literal[True]
    cursor: str
    nextCursor: str


class _PageMetaMetaDeclaredThingsItem(TypedDict):
    source: Literal["json-ld", "microdata", "rdfa", "opengraph"]
    type: List[str]
    values: Dict[str, Any]


class PageMetaMetaDeclaredThingsItem(_PageMetaMetaDeclaredThingsItem, total=False):
    main: Literal[True]


class _PageMetaMetaExtractedFromFieldsValue(TypedDict):
    source: Literal["declared", "css", "learned", "model"]


class PageMetaMetaExtractedFromFieldsValue(_PageMetaMetaExtractedFromFieldsValue, total=False):
    raw: str


class _PageMetaMetaExtractedFrom(TypedDict):
    rules: int
    fields: Dict[str, PageMetaMetaExtractedFromFieldsValue]
    problems: Dict[str, Literal["missing", "type", "ambiguous", "cut", "disagree", "unsupported", "unasked", "bad_answer"]]
    hash: str


class PageMetaMetaExtractedFrom(_PageMetaMetaExtractedFrom, total=False):
    certainty: Literal["only"]


class _PageMetaMeta(TypedDict):
    title: str
    description: str


class PageMetaMeta(_PageMetaMeta, total=False):
    language: str
    canonical: str
    headline: str
    author: str
    publishedTime: str
    modifiedTime: str
    siteName: str
    image: str
    keywords: List[str]
    pageCount: int
    rendered: bool
    tlsVerified: bool
    truncated: bool
    warning: Literal["no_text_layer", "unreadable_text"]
    unreadableCharacters: int
    type: str
    ogType: str
    productName: str
    productBrand: str
    productSku: str
    productPrice: str
    productCurrency: str
    productAvailability: str
    ratingValue: float
    ratingCount: float
    breadcrumbs: List[str]
    questions: List[str]
    headings: List[str]
    robots: List[str]
    extractionMethod: str
    extractionQuality: float
    wordCount: int
    contentHash: str
    declaredThings: List[PageMetaMetaDeclaredThingsItem]
    declaredThingsOmitted: int
    extractedFrom: PageMetaMetaExtractedFrom
    erasedAt: int
    statusCode: int
    contentType: str
    change: Literal["added", "changed", "unchanged"]
    evidence: Literal["304", "bytes", "hash", "lastmod"]
    etag: str
    lastModified: str


class PageMeta(TypedDict):
    page: int
    url: str
    fetchedUrl: str
    meta: PageMetaMeta


class _ResultsDataItemFormatsDroppedItem(TypedDict):
    rule: str
    text: str
    words: int


class ResultsDataItemFormatsDroppedItem(_ResultsDataItemFormatsDroppedItem, total=False):
    cut: Literal[True]


class ResultsDataItemFormats(TypedDict, total=False):
    markdown: str
    html: str
    text: str
    links: List[str]
    images: List[str]
    source: str
    dropped: List[ResultsDataItemFormatsDroppedItem]


class _ResultsDataItem(TypedDict):
    meta: PageMeta
    text: str


class ResultsDataItem(_ResultsDataItem, total=False):
    extracted: Union[Dict[str, Any], None]
    formats: ResultsDataItemFormats


class _Results(TypedDict):
    data: List[ResultsDataItem]


class Results(_Results, total=False):
    cursor: str
    nextCursor: str


class ResultsMetaDataItem(TypedDict):
    meta: PageMeta


class _ResultsMeta(TypedDict):
    data: List[ResultsMetaDataItem]


class ResultsMeta(_ResultsMeta, total=False):
    cursor: str
    nextCursor: str


class _SearchResultsDataItemSnippetPartsItem(TypedDict):
    text: str


class SearchResultsDataItemSnippetPartsItem(_SearchResultsDataItemSnippetPartsItem, total=False):
    hit: Literal[True]


class SearchResultsDataItem(TypedDict):
    page: int
    url: str
    title: str
    score: float
    snippet: str
    snippetParts: List[SearchResultsDataItemSnippetPartsItem]


class _SearchResults(TypedDict):
    data: List[SearchResultsDataItem]
    pages: int
    indexedPages: int


class SearchResults(_SearchResults, total=False):
    damagedPages: int
    cursor: str
    nextCursor: str


class _ScrapeResponse1FormatsDroppedItem(TypedDict):
    rule: str
    text: str
    words: int


class ScrapeResponse1FormatsDroppedItem(_ScrapeResponse1FormatsDroppedItem, total=False):
    cut: Literal[True]


class ScrapeResponse1Formats(TypedDict, total=False):
    markdown: str
    html: str
    text: str
    links: List[str]
    images: List[str]
    source: str
    dropped: List[ScrapeResponse1FormatsDroppedItem]


class _ScrapeResponse1MetaDeclaredThingsItem(TypedDict):
    source: Literal["json-ld", "microdata", "rdfa", "opengraph"]
    type: List[str]
    values: Dict[str, Any]


class ScrapeResponse1MetaDeclaredThingsItem(_ScrapeResponse1MetaDeclaredThingsItem, total=False):
    main: Literal[True]


class _ScrapeResponse1MetaExtractedFromFieldsValue(TypedDict):
    source: Literal["declared", "css", "learned", "model"]


class ScrapeResponse1MetaExtractedFromFieldsValue(_ScrapeResponse1MetaExtractedFromFieldsValue, total=False):
    raw: str


class _ScrapeResponse1MetaExtractedFrom(TypedDict):
    rules: int
    fields: Dict[str, ScrapeResponse1MetaExtractedFromFieldsValue]
    problems: Dict[str, Literal["missing", "type", "ambiguous", "cut", "disagree", "unsupported", "unasked", "bad_answer"]]
    hash: str


class ScrapeResponse1MetaExtractedFrom(_ScrapeResponse1MetaExtractedFrom, total=False):
    certainty: Literal["only"]


class _ScrapeResponse1Meta(TypedDict):
    title: str
    description: str
    fetchedUrl: str


class ScrapeResponse1Meta(_ScrapeResponse1Meta, total=False):
    language: str
    canonical: str
    headline: str
    author: str
    publishedTime: str
    modifiedTime: str
    siteName: str
    image: str
    keywords: List[str]
    pageCount: int
    rendered: bool
    tlsVerified: bool
    truncated: bool
    warning: Literal["no_text_layer", "unreadable_text"]
    unreadableCharacters: int
    type: str
    ogType: str
    productName: str
    productBrand: str
    productSku: str
    productPrice: str
    productCurrency: str
    productAvailability: str
    ratingValue: float
    ratingCount: float
    breadcrumbs: List[str]
    questions: List[str]
    headings: List[str]
    robots: List[str]
    extractionMethod: str
    extractionQuality: float
    wordCount: int
    contentHash: str
    declaredThings: List[ScrapeResponse1MetaDeclaredThingsItem]
    declaredThingsOmitted: int
    extractedFrom: ScrapeResponse1MetaExtractedFrom
    erasedAt: int
    statusCode: int
    contentType: str
    change: Literal["added", "changed", "unchanged"]
    evidence: Literal["304", "bytes", "hash", "lastmod"]
    etag: str
    lastModified: str


class _ScrapeResponse1(TypedDict):
    status: Literal["scraped"]
    url: str
    jobId: str
    text: str
    meta: ScrapeResponse1Meta


class ScrapeResponse1(_ScrapeResponse1, total=False):
    extracted: Union[Dict[str, Any], None]
    formats: ScrapeResponse1Formats
    screenshot: str


class _ScrapeResponse2Error(TypedDict):
    reason: str
    detail: str


class ScrapeResponse2Error(_ScrapeResponse2Error, total=False):
    statusCode: int


class ScrapeResponse2(TypedDict):
    status: Literal["failed"]
    url: str
    jobId: str
    error: ScrapeResponse2Error


class _SiteMapDataItem(TypedDict):
    url: str


class SiteMapDataItem(_SiteMapDataItem, total=False):
    lastmod: str


class _SiteMapNoticesItem(TypedDict):
    code: Literal["robots_ignored", "not_public", "host_unresponsive", "copies_paused", "network_down", "cookies_cut", "unreadable_text", "removals_held", "lastmod_ignored", "all_changed", "script_pages", "browser_unsandboxed", "rendered_pages", "render_cut", "wait_for_unmatched", "unfollowed_navigation", "pattern_unused", "declared_unreadable", "duplicate_urls", "no_screenshot", "fields_ignored", "exclude_unmatched", "notices_cut", "robots_cut", "sitemap_missing", "script_links", "trap"]
    message: str
    at: int


class SiteMapNoticesItem(_SiteMapNoticesItem, total=False):
    count: int
    example: str


class _SiteMapError(TypedDict):
    reason: str
    detail: str


class SiteMapError(_SiteMapError, total=False):
    statusCode: int


class _SiteMap(TypedDict):
    status: Literal["mapped", "failed"]
    url: str
    jobId: str
    data: List[SiteMapDataItem]
    truncated: bool
    sitemapPageCount: int
    notices: List[SiteMapNoticesItem]
    findings: List[Finding]


class SiteMap(_SiteMap, total=False):
    truncatedBy: Literal["limit", "timeout", "unread"]
    error: SiteMapError


class _ChangeListDataItem(TypedDict):
    job: str
    runAt: int
    change: Literal["added", "changed", "moved", "unchanged", "removed", "unknown"]
    url: str
    page: Union[int, None]
    previousPage: Union[int, None]
    contentHash: Union[str, None]
    previousContentHash: Union[str, None]
    reason: Union[str, None]
    cursor: str


class ChangeListDataItem(_ChangeListDataItem, total=False):
    movedTo: str
    meta: PageMeta
    text: str
    superseded: Literal[True]
    damaged: Literal[True]


class _ChangeList(TypedDict):
    data: List[ChangeListDataItem]


class ChangeList(_ChangeList, total=False):
    cursor: str
    nextCursor: str


class _FeedDataItem(TypedDict):
    job: str
    runAt: int
    change: Literal["added", "changed", "moved", "unchanged", "removed", "unknown"]
    url: str
    page: Union[int, None]
    previousPage: Union[int, None]
    contentHash: Union[str, None]
    previousContentHash: Union[str, None]
    reason: Union[str, None]
    cursor: str


class FeedDataItem(_FeedDataItem, total=False):
    movedTo: str
    meta: PageMeta
    text: str
    superseded: Literal[True]
    damaged: Literal[True]


class Feed(TypedDict):
    data: List[FeedDataItem]
    cursor: str
    upToDate: bool


class _SnapshotPagesDataItemFormatsDroppedItem(TypedDict):
    rule: str
    text: str
    words: int


class SnapshotPagesDataItemFormatsDroppedItem(_SnapshotPagesDataItemFormatsDroppedItem, total=False):
    cut: Literal[True]


class SnapshotPagesDataItemFormats(TypedDict, total=False):
    markdown: str
    html: str
    text: str
    links: List[str]
    images: List[str]
    source: str
    dropped: List[SnapshotPagesDataItemFormatsDroppedItem]


class _SnapshotPagesDataItem(TypedDict):
    meta: PageMeta
    text: str


class SnapshotPagesDataItem(_SnapshotPagesDataItem, total=False):
    extracted: Union[Dict[str, Any], None]
    formats: SnapshotPagesDataItemFormats


class _SnapshotPages(TypedDict):
    data: List[SnapshotPagesDataItem]
    run: Union[str, None]


class SnapshotPages(_SnapshotPages, total=False):
    changesCursor: str
    cursor: str
    nextCursor: str


class SnapshotMetaDataItem(TypedDict):
    meta: PageMeta


class _SnapshotMeta(TypedDict):
    data: List[SnapshotMetaDataItem]
    run: Union[str, None]


class SnapshotMeta(_SnapshotMeta, total=False):
    changesCursor: str
    cursor: str
    nextCursor: str


class _UrlListDataItem(TypedDict):
    url: str
    kind: Literal["page", "sitemap"]
    status: Literal["queued", "inFlight", "scraped", "discarded", "failed", "outside"]
    depth: int
    attempts: int


class UrlListDataItem(_UrlListDataItem, total=False):
    reason: str
    detail: str
    attemptedAt: int
    statusCode: int
    page: int
    foundOn: str
    foundBy: Literal["script"]
    lastmod: str


class _UrlList(TypedDict):
    data: List[UrlListDataItem]


class UrlList(_UrlList, total=False):
    explanation: List[str]
    cursor: str
    nextCursor: str


class HostListDataItemLastError(TypedDict):
    reason: str
    message: str


class _HostListDataItem(TypedDict):
    host: str
    jobs: List[str]
    isLeased: bool
    delayMs: int


class HostListDataItem(_HostListDataItem, total=False):
    backOffUntil: int
    robots: Literal["unknown", "read", "unreachable"]
    concurrency: int
    inFlight: int
    circuit: Literal["closed", "open", "half_open"]
    lastError: HostListDataItemLastError


class _HostList(TypedDict):
    data: List[HostListDataItem]


class HostList(_HostList, total=False):
    cursor: str
    nextCursor: str


class RulesSitesItemTemplatesItem(TypedDict):
    example: str
    asked: int
    records: int
    isSettled: bool


class RulesSitesItemFieldsValue(TypedDict):
    locators: List[Place]
    witness: Union[Place, None]
    declaredFirst: bool
    asked: int
    right: int
    judged: int
    misses: int


class RulesSitesItem(TypedDict):
    site: str
    version: int
    asked: int
    decimal: Union[Literal[".", ","], None]
    dayOrder: Union[Literal["day", "month"], None]
    templates: List[RulesSitesItemTemplatesItem]
    fields: Dict[str, RulesSitesItemFieldsValue]


class Rules(TypedDict):
    pages: int
    values: Dict[str, int]
    sites: List[RulesSitesItem]
    fields: Dict[str, Union[Place, List[Place]]]


class StatsDataItem(TypedDict):
    at: int
    scraped: int
    discarded: int
    failed: int
    bytes: int
    queued: int
    inFlight: int


class Stats(TypedDict):
    step: int
    data: List[StatsDataItem]


class TreeNodeOthers(TypedDict):
    urls: int
    scraped: int
    discarded: int
    failed: int
    outside: int
    queued: int


class _TreeNode(TypedDict):
    segment: str
    prefix: str
    urls: int
    scraped: int
    discarded: int
    failed: int
    outside: int
    queued: int


class TreeNode(_TreeNode, total=False):
    data: List[TreeNode]
    others: TreeNodeOthers


class TreeOthers(TypedDict):
    urls: int
    scraped: int
    discarded: int
    failed: int
    outside: int
    queued: int


class _Tree(TypedDict):
    data: List[TreeNode]


class Tree(_Tree, total=False):
    prefix: str
    others: TreeOthers


class ProblemErrorsItem(TypedDict):
    field: str
    message: str


class _Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: Literal["invalid_parameter", "invalid_body", "invalid_cron", "invalid_cursor", "browser_missing", "no_model", "not_supported_yet", "destination_not_allowed", "unauthorized", "invalid_token", "sign_in_refused", "permission_denied", "job_not_found", "schedule_not_found", "delivery_not_found", "screenshot_not_found", "no_raw", "no_records", "page_not_found", "token_not_found", "job_not_ended", "run_superseded", "schedule_deleted", "changes_expired", "nothing_to_compare", "text_expired", "url_not_found", "run_in_progress", "confirmation_required", "nothing_to_retry", "search_off", "job_data_expired", "page_erased", "idempotency_key_reused", "page_unreadable", "page_not_html", "not_found", "method_not_allowed", "origin_refused", "misdirected_request", "crawler_refused", "rate_limited", "too_many_jobs", "too_many_tokens", "too_many_schedules", "too_many_waiting", "backup_in_progress", "backup_failed", "too_many_exports", "range_not_satisfiable", "body_too_large", "headers_too_large", "request_timeout", "bad_request", "unsupported_media_type", "insufficient_storage", "storage_read_only", "unavailable", "overloaded", "page_damaged", "internal"]
    requestId: str
    message: str


class Problem(_Problem, total=False):
    errors: List[ProblemErrorsItem]
    page: int
    cursor: str
    reason: str


class _DroppedDataItem(TypedDict):
    rule: str
    text: str
    words: int


class DroppedDataItem(_DroppedDataItem, total=False):
    cut: Literal[True]


class Dropped(TypedDict):
    page: int
    url: str
    data: List[DroppedDataItem]
    words: int


class Erased(TypedDict):
    page: int
    erasedAt: int
    url: bool
    jobs: List[str]


class DiffHunksItemLinesItemPartsItem(TypedDict):
    text: str
    changed: bool


class DiffHunksItemLinesItem(TypedDict):
    kind: Literal["same", "removed", "added"]
    parts: List[DiffHunksItemLinesItemPartsItem]


class DiffHunksItem(TypedDict):
    oldStart: int
    oldLines: int
    newStart: int
    newLines: int
    lines: List[DiffHunksItemLinesItem]


class _Diff(TypedDict):
    job: str
    runAt: int
    url: str
    change: Literal["changed", "unchanged"]
    reason: Union[str, None]
    contentHash: Union[str, None]
    previousContentHash: Union[str, None]
    truncated: bool
    hunks: List[DiffHunksItem]


class Diff(_Diff, total=False):
    title: str
    previousTitle: str


class _CrawlPreviewRobots(TypedDict):
    url: str
    status: Literal["read", "unreachable", "not_read"]
    isObeyed: bool
    sitemaps: int


class CrawlPreviewRobots(_CrawlPreviewRobots, total=False):
    isAllowed: bool
    rule: str
    crawlDelaySeconds: float
    message: str


class _CrawlPreviewPageMetaDeclaredThingsItem(TypedDict):
    source: Literal["json-ld", "microdata", "rdfa", "opengraph"]
    type: List[str]
    values: Dict[str, Any]


class CrawlPreviewPageMetaDeclaredThingsItem(_CrawlPreviewPageMetaDeclaredThingsItem, total=False):
    main: Literal[True]


class _CrawlPreviewPageMetaExtractedFromFieldsValue(TypedDict):
    source: Literal["declared", "css", "learned", "model"]


class CrawlPreviewPageMetaExtractedFromFieldsValue(_CrawlPreviewPageMetaExtractedFromFieldsValue, total=False):
    raw: str


class _CrawlPreviewPageMetaExtractedFrom(TypedDict):
    rules: int
    fields: Dict[str, CrawlPreviewPageMetaExtractedFromFieldsValue]
    problems: Dict[str, Literal["missing", "type", "ambiguous", "cut", "disagree", "unsupported", "unasked", "bad_answer"]]
    hash: str


class CrawlPreviewPageMetaExtractedFrom(_CrawlPreviewPageMetaExtractedFrom, total=False):
    certainty: Literal["only"]


class _CrawlPreviewPageMeta(TypedDict):
    title: str
    description: str


class CrawlPreviewPageMeta(_CrawlPreviewPageMeta, total=False):
    language: str
    canonical: str
    headline: str
    author: str
    publishedTime: str
    modifiedTime: str
    siteName: str
    image: str
    keywords: List[str]
    pageCount: int
    rendered: bool
    tlsVerified: bool
    truncated: bool
    warning: Literal["no_text_layer", "unreadable_text"]
    unreadableCharacters: int
    type: str
    ogType: str
    productName: str
    productBrand: str
    productSku: str
    productPrice: str
    productCurrency: str
    productAvailability: str
    ratingValue: float
    ratingCount: float
    breadcrumbs: List[str]
    questions: List[str]
    headings: List[str]
    robots: List[str]
    extractionMethod: str
    extractionQuality: float
    wordCount: int
    contentHash: str
    declaredThings: List[CrawlPreviewPageMetaDeclaredThingsItem]
    declaredThingsOmitted: int
    extractedFrom: CrawlPreviewPageMetaExtractedFrom
    erasedAt: int
    statusCode: int
    contentType: str
    change: Literal["added", "changed", "unchanged"]
    evidence: Literal["304", "bytes", "hash", "lastmod"]
    etag: str
    lastModified: str


class _CrawlPreviewPage(TypedDict):
    status: Literal["read", "redirected", "discarded", "failed", "not_read"]


class CrawlPreviewPage(_CrawlPreviewPage, total=False):
    statusCode: int
    redirectsTo: str
    reason: Union[Literal["excluded_by_glob", "excluded_by_pattern", "not_included", "off_host", "off_path", "depth", "logout", "nofollow", "robots_disallowed", "crawl_delay_too_long", "duplicate_of", "doubted", "below_min_length", "unchanged", "not_delivered", "content_type", "url_too_long", "page_limit", "fetch_limit", "trap", "script_link", "time_limit", "crawled_before", "no_raw", "cancelled"], Literal["http_error", "dns", "connect", "tls", "timeout", "reset", "challenge", "bad_response", "body_too_large", "bad_encoding", "too_many_redirects", "bad_redirect", "destination_not_allowed", "robots_unreachable", "unreadable_file", "parse_timeout", "parse_budget", "parse_crashed", "sitemap_unreadable", "browser_missing", "poison"]]
    message: str
    fetchedUrl: str
    meta: CrawlPreviewPageMeta
    text: str
    isTextCut: bool
    needsBrowser: Literal[True]


class _CrawlPreviewLinksDataItem(TypedDict):
    url: str
    verdict: Literal["follow", "discard"]


class CrawlPreviewLinksDataItem(_CrawlPreviewLinksDataItem, total=False):
    reason: Literal["excluded_by_glob", "excluded_by_pattern", "not_included", "off_host", "off_path", "depth", "logout", "nofollow", "robots_disallowed", "crawl_delay_too_long", "duplicate_of", "doubted", "below_min_length", "unchanged", "not_delivered", "content_type", "url_too_long", "page_limit", "fetch_limit", "trap", "script_link", "time_limit", "crawled_before", "no_raw", "cancelled"]
    detail: str


class CrawlPreviewLinks(TypedDict):
    found: int
    followed: int
    delivered: int
    reasons: Dict[str, int]
    data: List[CrawlPreviewLinksDataItem]
    isRobotsChecked: bool


class _CrawlPreviewSitemap(TypedDict):
    status: Literal["read", "missing", "unreadable", "not_read"]


class CrawlPreviewSitemap(_CrawlPreviewSitemap, total=False):
    url: str
    urls: int
    followed: int
    sitemaps: int
    message: str


class CrawlPreview(TypedDict):
    url: str
    fetches: int
    robots: CrawlPreviewRobots
    page: CrawlPreviewPage
    links: CrawlPreviewLinks
    sitemap: CrawlPreviewSitemap


class ScheduleLastError1(TypedDict):
    code: str
    message: str
    at: int


class ScheduleSecrets(TypedDict):
    headers: List[str]
    cookies: List[str]


class Schedule(TypedDict):
    id: str
    org: str
    name: str
    cron: str
    time_zone: str
    job: Dict[str, Any]
    keep: int
    overlap: Literal["skip", "queue"]
    paused: bool
    pausedBy: Union[Literal["client", "token_revoked", "token_expired"], None]
    createdAt: int
    nextRunAt: Union[int, None]
    lastRunAt: Union[int, None]
    lastJob: Union[str, None]
    lastError: Union[ScheduleLastError1, None]
    secrets: ScheduleSecrets


class ChangedScheduleLastError1(TypedDict):
    code: str
    message: str
    at: int


class ChangedScheduleSecrets(TypedDict):
    headers: List[str]
    cookies: List[str]


class ChangedScheduleDroppedSecrets(TypedDict):
    headers: List[str]
    cookies: List[str]


class _ChangedSchedule(TypedDict):
    id: str
    org: str
    name: str
    cron: str
    time_zone: str
    job: Dict[str, Any]
    keep: int
    overlap: Literal["skip", "queue"]
    paused: bool
    pausedBy: Union[Literal["client", "token_revoked", "token_expired"], None]
    createdAt: int
    nextRunAt: Union[int, None]
    lastRunAt: Union[int, None]
    lastJob: Union[str, None]
    lastError: Union[ChangedScheduleLastError1, None]
    secrets: ChangedScheduleSecrets


class ChangedSchedule(_ChangedSchedule, total=False):
    droppedSecrets: ChangedScheduleDroppedSecrets


class _ScheduleList(TypedDict):
    data: List[Schedule]


class ScheduleList(_ScheduleList, total=False):
    cursor: str
    nextCursor: str


class _RunList(TypedDict):
    data: List[Job]


class RunList(_RunList, total=False):
    cursor: str
    nextCursor: str


class MadeRun(TypedDict):
    job: Union[Job, None]


class SystemStatusDisk(TypedDict):
    freeBytes: int
    totalBytes: int
    pausesBelowBytes: int


class SystemStatusMemory(TypedDict):
    usedBytes: int
    limitBytes: int


class SystemStatusQueue(TypedDict):
    starting: int
    running: int
    queued: int
    inFlight: int
    dueSince: Union[int, None]
    deliveries: int


class SystemStatusSettingsItem(TypedDict):
    name: str
    value: str
    origin: str


class SystemStatus(TypedDict):
    version: str
    startedAt: int
    place: str
    database: Literal["sqlite", "postgresql"]
    dataBytes: Union[int, None]
    disk: SystemStatusDisk
    memory: SystemStatusMemory
    hasBrowser: bool
    queue: SystemStatusQueue
    settings: List[SystemStatusSettingsItem]


class Token(TypedDict):
    id: str
    org: str
    name: str
    permissions: List[Literal["read", "write", "ignore_robots", "high_priority", "proxy", "model", "metrics", "tokens", "operate"]]
    createdAt: int
    expiresAt: Union[int, None]
    revokedAt: Union[int, None]


class NewToken(TypedDict):
    id: str
    org: str
    name: str
    permissions: List[Literal["read", "write", "ignore_robots", "high_priority", "proxy", "model", "metrics", "tokens", "operate"]]
    createdAt: int
    expiresAt: Union[int, None]
    revokedAt: Union[int, None]
    token: str


class _TokenList(TypedDict):
    data: List[Token]


class TokenList(_TokenList, total=False):
    cursor: str
    nextCursor: str


class _Delivery(TypedDict):
    id: int
    webhookId: str
    event: Literal["job.started", "job.progress", "job.finished", "schedule.changed"]
    status: Literal["pending", "delivered", "failed"]
    createdAt: int
    attempts: int


class Delivery(_Delivery, total=False):
    nextAt: int
    settledAt: int
    statusCode: int
    error: str


class _DeliveryList(TypedDict):
    data: List[Delivery]


class DeliveryList(_DeliveryList, total=False):
    cursor: str
    nextCursor: str


class _WebhookKey(TypedDict):
    key: str


class WebhookKey(_WebhookKey, total=False):
    previousKey: str


class ScheduleEventDataError(TypedDict):
    code: str
    message: str
    at: int


class ScheduleEventData(TypedDict):
    schedule: str
    name: str
    error: ScheduleEventDataError
    nextRunAt: Union[int, None]


class ScheduleEvent(TypedDict):
    type: Literal["schedule.failed"]
    timestamp: str
    data: ScheduleEventData


class RunEventDataChanges(TypedDict):
    added: int
    changed: int
    moved: int
    unchanged: int
    removed: int
    unknown: int


class RunEventData(TypedDict):
    schedule: str
    job: str
    changes: RunEventDataChanges
    cursor: str


class RunEvent(TypedDict):
    type: Literal["schedule.changed"]
    timestamp: str
    data: RunEventData


WebhookEventDataPages = TypedDict("WebhookEventDataPages", {"from": "int", "to": "int"})


class _WebhookEventData(TypedDict):
    id: str
    status: Literal["starting", "running", "succeeded", "failed", "cancelled"]
    complete: Union[bool, None]
    findings: List[Finding]
    progress: Progress
    finishedAt: Union[int, None]


class WebhookEventData(_WebhookEventData, total=False):
    pages: WebhookEventDataPages


class WebhookEvent(TypedDict):
    type: Literal["job.started", "job.progress", "job.finished"]
    timestamp: str
    data: WebhookEventData


class Extract(TypedDict, total=False):
    schema: Union[RecordSchema, None]
    fields: Dict[str, Union[Place, List[Place]]]
    declared: bool
    declared_things: bool
    when: List[str]
    model: bool
    private_to_model: bool
    calls_per_template: int
    calls: int


class Place(TypedDict, total=False):
    css: str
    label: str
    attribute: str
    between: List[str]
    list: bool
    type: Literal["text", "markdown", "html", "number", "integer", "boolean", "date", "url", "price"]
    map: Dict[str, Union[str, float, bool, None]]
    fields: Dict[str, Union[Place, List[Place]]]


class RecordSchema(TypedDict, total=False):
    type: Union[Literal["string", "number", "integer", "boolean", "array", "object", "null"], List[Literal["string", "number", "integer", "boolean", "array", "object", "null"]]]
    properties: Dict[str, RecordSchema]
    items: RecordSchema
    enum: List[Union[str, float, bool, None]]
    format: str
    required: List[str]
    anyOf: List[RecordSchema]
    description: str
    title: str
    additionalProperties: bool


class CrawlOptionsScreenshot1(TypedDict, total=False):
    format: Literal["png", "jpeg"]
    full_page: bool


class CrawlOptions(TypedDict, total=False):
    since: Union[str, None]
    deliver: Literal["all", "changed"]
    confirm_runs: int
    trust_lastmod: bool
    output_format: Literal["markdown", "text", "html"]
    formats: List[Literal["markdown", "html", "text", "links", "images", "source", "dropped"]]
    exclude_globs: List[str]
    include_globs: List[str]
    deliver_globs: List[str]
    exclude_patterns: List[str]
    include_patterns: List[str]
    pattern_target: Literal["url", "path"]
    allow_external: bool
    ignore_query: bool
    exclude_elements: str
    include_elements: str
    content: Literal["auto", "full"]
    links: Literal["inline", "reference", "none"]
    images: Literal["all", "described", "none"]
    title: Union[Literal["page", "auto"], Literal[""], Literal[False], None]
    extract: Union[Extract, None]
    extract_object: Union[RecordSchema, None]
    output_expiry: Union[int, None]
    min_length: int
    page_limit: int
    fetch_limit: int
    time_limit: int
    host_delay_ms: Union[int, None]
    host_concurrency: Union[int, None]
    unreachable_seconds: Union[int, None]
    max_depth: Union[int, None]
    force_crawling_mode: Union[Literal["link", "sitemap"], None]
    scope: Literal["host", "path", "subdomains"]
    follow_logout: bool
    follow_nofollow: bool
    trap_detection: bool
    use_browser: Union[bool, Literal["auto"]]
    wait_for: Union[int, str, Literal[False], None]
    screenshot: Union[CrawlOptionsScreenshot1, Literal[False], None]
    store_raw: bool
    block_resources: bool
    include_linked_files: bool
    respect_robots: bool
    insecure_tls: bool
    proxy: Union[str, None]
    advanced_proxy: Any
    keep_cookies: bool
    headers: Union[Dict[str, str], None]
    cookies: Union[Dict[str, str], None]
    priority: Literal["low", "normal", "high"]
    webhook_url: Union[str, None]
    link_crawling: Any


class BatchOptions(TypedDict, total=False):
    output_format: Literal["markdown", "text", "html"]
    formats: List[Literal["markdown", "html", "text", "links", "images", "source", "dropped"]]
    exclude_elements: str
    include_elements: str
    content: Literal["auto", "full"]
    links: Literal["inline", "reference", "none"]
    images: Literal["all", "described", "none"]
    title: Union[Literal["page", "auto"], Literal[""], Literal[False], None]
    extract: Union[Extract, None]
    extract_object: Union[RecordSchema, None]
    output_expiry: Union[int, None]
    error_pages: bool
    min_length: int
    time_limit: int
    host_delay_ms: Union[int, None]
    host_concurrency: Union[int, None]
    unreachable_seconds: Union[int, None]
    url_timeout: Union[int, None]
    use_browser: Union[bool, Literal["auto"]]
    wait_for: Union[int, str, Literal[False], None]
    store_raw: bool
    block_resources: bool
    respect_robots: bool
    insecure_tls: bool
    proxy: Union[str, None]
    advanced_proxy: Any
    keep_cookies: bool
    headers: Union[Dict[str, str], None]
    cookies: Union[Dict[str, str], None]
    priority: Literal["low", "normal", "high"]
    webhook_url: Union[str, None]


class RetryOptions(TypedDict, total=False):
    headers: Union[Dict[str, str], None]
    cookies: Union[Dict[str, str], None]
    webhook_url: Union[str, None]


class ReextractOptions(TypedDict, total=False):
    output_format: Literal["markdown", "text", "html"]
    formats: List[Literal["markdown", "html", "text", "links", "images", "source", "dropped"]]
    exclude_elements: str
    include_elements: str
    content: Literal["auto", "full"]
    links: Literal["inline", "reference", "none"]
    images: Literal["all", "described", "none"]
    title: Union[Literal["page", "auto"], Literal[""], Literal[False], None]
    extract: Union[Extract, None]


class NewScheduleJobScreenshot1(TypedDict, total=False):
    format: Literal["png", "jpeg"]
    full_page: bool


class _NewScheduleJob(TypedDict):
    urls: List[str]


class NewScheduleJob(_NewScheduleJob, total=False):
    since: Union[str, None]
    deliver: Literal["all", "changed"]
    confirm_runs: int
    trust_lastmod: bool
    output_format: Literal["markdown", "text", "html"]
    formats: List[Literal["markdown", "html", "text", "links", "images", "source", "dropped"]]
    exclude_globs: List[str]
    include_globs: List[str]
    deliver_globs: List[str]
    exclude_patterns: List[str]
    include_patterns: List[str]
    pattern_target: Literal["url", "path"]
    allow_external: bool
    ignore_query: bool
    exclude_elements: str
    include_elements: str
    content: Literal["auto", "full"]
    links: Literal["inline", "reference", "none"]
    images: Literal["all", "described", "none"]
    title: Union[Literal["page", "auto"], Literal[""], Literal[False], None]
    extract: Union[Extract, None]
    extract_object: Union[RecordSchema, None]
    output_expiry: Union[int, None]
    min_length: int
    page_limit: int
    fetch_limit: int
    time_limit: int
    host_delay_ms: Union[int, None]
    host_concurrency: Union[int, None]
    unreachable_seconds: Union[int, None]
    max_depth: Union[int, None]
    force_crawling_mode: Union[Literal["link", "sitemap"], None]
    scope: Literal["host", "path", "subdomains"]
    follow_logout: bool
    follow_nofollow: bool
    trap_detection: bool
    use_browser: Union[bool, Literal["auto"]]
    wait_for: Union[int, str, Literal[False], None]
    screenshot: Union[NewScheduleJobScreenshot1, Literal[False], None]
    store_raw: bool
    block_resources: bool
    include_linked_files: bool
    respect_robots: bool
    insecure_tls: bool
    proxy: Union[str, None]
    advanced_proxy: Any
    keep_cookies: bool
    headers: Union[Dict[str, str], None]
    cookies: Union[Dict[str, str], None]
    priority: Literal["low", "normal", "high"]
    webhook_url: Union[str, None]
    link_crawling: Any


class NewSchedule(TypedDict, total=False):
    name: str
    cron: str
    time_zone: str
    job: NewScheduleJob
    keep: int
    overlap: Literal["skip", "queue"]
    paused: bool


class ScheduleChangeJobScreenshot1(TypedDict, total=False):
    format: Literal["png", "jpeg"]
    full_page: bool


class _ScheduleChangeJob(TypedDict):
    urls: List[str]


class ScheduleChangeJob(_ScheduleChangeJob, total=False):
    since: Union[str, None]
    deliver: Literal["all", "changed"]
    confirm_runs: int
    trust_lastmod: bool
    output_format: Literal["markdown", "text", "html"]
    formats: List[Literal["markdown", "html", "text", "links", "images", "source", "dropped"]]
    exclude_globs: List[str]
    include_globs: List[str]
    deliver_globs: List[str]
    exclude_patterns: List[str]
    include_patterns: List[str]
    pattern_target: Literal["url", "path"]
    allow_external: bool
    ignore_query: bool
    exclude_elements: str
    include_elements: str
    content: Literal["auto", "full"]
    links: Literal["inline", "reference", "none"]
    images: Literal["all", "described", "none"]
    title: Union[Literal["page", "auto"], Literal[""], Literal[False], None]
    extract: Union[Extract, None]
    extract_object: Union[RecordSchema, None]
    output_expiry: Union[int, None]
    min_length: int
    page_limit: int
    fetch_limit: int
    time_limit: int
    host_delay_ms: Union[int, None]
    host_concurrency: Union[int, None]
    unreachable_seconds: Union[int, None]
    max_depth: Union[int, None]
    force_crawling_mode: Union[Literal["link", "sitemap"], None]
    scope: Literal["host", "path", "subdomains"]
    follow_logout: bool
    follow_nofollow: bool
    trap_detection: bool
    use_browser: Union[bool, Literal["auto"]]
    wait_for: Union[int, str, Literal[False], None]
    screenshot: Union[ScheduleChangeJobScreenshot1, Literal[False], None]
    store_raw: bool
    block_resources: bool
    include_linked_files: bool
    respect_robots: bool
    insecure_tls: bool
    proxy: Union[str, None]
    advanced_proxy: Any
    keep_cookies: bool
    headers: Union[Dict[str, str], None]
    cookies: Union[Dict[str, str], None]
    priority: Literal["low", "normal", "high"]
    webhook_url: Union[str, None]
    link_crawling: Any


class ScheduleChange(TypedDict, total=False):
    name: str
    cron: str
    time_zone: str
    job: ScheduleChangeJob
    keep: int
    overlap: Literal["skip", "queue"]
    paused: bool


class ScrapeOptionsScreenshot1(TypedDict, total=False):
    format: Literal["png", "jpeg"]
    full_page: bool


class ScrapeOptions(TypedDict, total=False):
    format: Literal["markdown", "text", "html"]
    formats: List[Literal["markdown", "html", "text", "links", "images", "source", "dropped"]]
    exclude_elements: str
    include_elements: str
    content: Literal["auto", "full"]
    links: Literal["inline", "reference", "none"]
    images: Literal["all", "described", "none"]
    title: Union[Literal["page", "auto"], Literal[""], Literal[False], None]
    extract: Union[Extract, None]
    extract_object: Union[RecordSchema, None]
    error_pages: bool
    use_browser: Union[bool, Literal["auto"]]
    wait_for: Union[int, str, Literal[False], None]
    screenshot: Union[ScrapeOptionsScreenshot1, Literal[False], None]
    block_resources: bool
    respect_robots: bool
    insecure_tls: bool
    proxy: Union[str, None]
    advanced_proxy: Any
    keep_cookies: bool
    headers: Union[Dict[str, str], None]
    cookies: Union[Dict[str, str], None]
    timeout: int


class MapOptions(TypedDict, total=False):
    exclude_globs: List[str]
    include_globs: List[str]
    exclude_patterns: List[str]
    include_patterns: List[str]
    pattern_target: Literal["url", "path"]
    ignore_query: bool
    force_crawling_mode: Union[Literal["link", "sitemap"], None]
    scope: Literal["host", "path", "subdomains"]
    use_browser: Union[bool, Literal["auto"]]
    wait_for: Union[int, str, Literal[False], None]
    respect_robots: bool
    insecure_tls: bool
    proxy: Union[str, None]
    advanced_proxy: Any
    keep_cookies: bool
    headers: Union[Dict[str, str], None]
    cookies: Union[Dict[str, str], None]
    q: str
    limit: int
    timeout: int


ScrapeResponse = Union[ScrapeResponse1, ScrapeResponse2]

Page = ResultsDataItem
Meta = ResultsMetaDataItem
UrlEntry = UrlListDataItem
PageChange = ChangeListDataItem
FeedChange = FeedDataItem
Host = HostListDataItem
