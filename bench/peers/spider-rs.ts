// The peer: spider-rs, a crawler in Rust, with mdream, a converter in Rust. What it makes stays in memory. Its native part
// fetches and finds links in threads of its own; each page is handed to JavaScript, and converted there.
import { Website } from '@spider-rs/spider-rs';
import { htmlToMarkdown } from './mdream.ts';
import { crawlOnOrder } from './order.ts';

const pages = new Map<string, string>();

await crawlOnOrder(async (startUrl) => {
  const website = new Website(startUrl).withDelay(0).withRespectRobotsTxt(false).withSubdomains(false).build();
  await website.crawl((error, page) => {
    if (error) throw error;
    pages.set(page.url, htmlToMarkdown(page.content, page.url));
  });
});
// Its threads do not end by themselves.
process.exit();
