"""The peer: Scrapy, every page converted to Markdown by html2text, all of it in memory.

Speaks as order.ts says. python3 bench/peers/scrapy.py http://127.0.0.1:8000/index.html [concurrency, default 16]
"""

import re
import sys

import html2text

# This file has the name of the package: its folder must not come first.
sys.path.pop(0)
from scrapy import Request, Spider  # noqa: E402
from scrapy.crawler import CrawlerProcess  # noqa: E402
from scrapy.http import HtmlResponse  # noqa: E402
from scrapy.linkextractors import LinkExtractor  # noqa: E402

start_url = sys.argv[1]
origin = start_url[: start_url.index("/", len("http://")) + 1]
concurrency = int(sys.argv[2]) if len(sys.argv) > 2 else 16
pages = {}


class Site(Spider):
    name = "site"
    start_urls = [start_url]
    links = LinkExtractor(allow=re.escape(origin), tags=("a", "area", "iframe", "frame"), attrs=("href", "src"))

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        converter = html2text.HTML2Text(baseurl=response.url, bodywidth=0)
        pages[response.url] = converter.handle(response.text)
        for link in self.links.extract_links(response):
            yield Request(link.url)


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
    }
)
process.crawl(Site)
print("ready", flush=True)
sys.stdin.readline()
process.start()
print("done", flush=True)
sys.stdin.read()
