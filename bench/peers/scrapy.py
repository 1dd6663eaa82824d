"""The peer: Scrapy, every page converted to Markdown by html2text.

Speaks as order.ts says. python3 bench/peers/scrapy.py http://127.0.0.1:8000/index.html [memory or readability] [concurrency, default 16]

`memory` converts the whole page, and keeps the text in memory. `readability` chooses the main content first, with
readability-lxml, and has Scrapy write the pages to pages.jsonl. With `--convert` instead of a URL it converts what it reads, an
object with `id`, `url` and `html` a line, and writes `id` and `text`: so that the texts can be scored.
"""

import json
import re
import sys

import html2text

# This file has the name of the package: its folder must not come first.
sys.path.pop(0)
from readability import Document  # noqa: E402
from scrapy import Request, Spider  # noqa: E402
from scrapy.crawler import CrawlerProcess  # noqa: E402
from scrapy.http import HtmlResponse  # noqa: E402
from scrapy.linkextractors import LinkExtractor  # noqa: E402

mode = sys.argv[2] if len(sys.argv) > 2 else "memory"
concurrency = int(sys.argv[3]) if len(sys.argv) > 3 else 16
pages = {}


def markdown_of(html, url):
    return html2text.HTML2Text(baseurl=url, bodywidth=0).handle(html)


def content_of(html, url):
    document = Document(html)
    return {"url": url, "title": document.title(), "text": markdown_of(document.summary(html_partial=True), url)}


def convert_lines():
    for line in sys.stdin:
        page = json.loads(line)
        try:
            whole = mode == "memory"
            text = markdown_of(page["html"], page["url"]) if whole else content_of(page["html"], page["url"])["text"]
        except Exception as error:  # A page that the extractor cannot read has no text, and its score says so.
            print(f"{page['id']}: {error}", file=sys.stderr)
            text = ""
        print(json.dumps({"id": page["id"], "text": text}))


def crawl(start_url):
    origin = start_url[: start_url.index("/", len("http://")) + 1]
    links = LinkExtractor(allow=re.escape(origin), tags=("a", "area", "iframe", "frame"), attrs=("href", "src"))

    class Site(Spider):
        name = "site"
        start_urls = [start_url]

        def parse(self, response):
            if not isinstance(response, HtmlResponse):
                return
            for link in links.extract_links(response):
                yield Request(link.url)
            if mode == "memory":
                pages[response.url] = markdown_of(response.text, response.url)
            else:
                yield content_of(response.text, response.url)

    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_ENABLED": False,
            "REFERER_ENABLED": False,
            "DEPTH_STATS_VERBOSE": False,
            "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
            # Pages may be large, and nothing is to be missed.
            "DOWNLOAD_MAXSIZE": 0,
            "DOWNLOAD_WARNSIZE": 0,
            "FEEDS": {} if mode == "memory" else {"pages.jsonl": {"format": "jsonlines"}},
        }
    )
    process.crawl(Site)
    print("ready", flush=True)
    sys.stdin.readline()
    process.start()
    print("done", flush=True)
    sys.stdin.read()


if sys.argv[1] == "--convert":
    convert_lines()
else:
    crawl(sys.argv[1])
