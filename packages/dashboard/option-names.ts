// How the form arranges and names the options. An option that is not here stands among the last group's others.

export const groups = ['What', 'How far', 'How polite', 'What comes out'] as const;
type Group = (typeof groups)[number];

/** Name for people. `isFirst`: shown without opening the group's other options. */
interface Placed {
  readonly name: string;
  readonly isFirst?: true;
}

const placed: Readonly<Record<Group, Readonly<Record<string, Placed>>>> = {
  What: {
    include_globs: { name: 'Only URLs that match', isFirst: true },
    exclude_globs: { name: 'Skip URLs that match', isFirst: true },
    q: { name: 'Only URLs that contain', isFirst: true },
    deliver_globs: { name: 'Keep only pages that match' },
    include_patterns: { name: 'Only URLs that match an expression' },
    exclude_patterns: { name: 'Skip URLs that match an expression' },
    pattern_target: { name: 'Where expressions are searched' },
    ignore_query: { name: 'Ignore what follows the question mark' },
    include_linked_files: { name: 'Also read PDF and other files' },
    headers: { name: 'Headers for the site' },
    cookies: { name: 'Cookies for the site' },
  },
  'How far': {
    page_limit: { name: 'Pages at most', isFirst: true },
    max_depth: { name: 'Links from a start URL at most', isFirst: true },
    scope: { name: 'Which links belong to the site', isFirst: true },
    limit: { name: 'URLs at most', isFirst: true },
    force_crawling_mode: { name: 'Where URLs are found', isFirst: true },
    allow_external: { name: 'Also follow links to other sites' },
    time_limit: { name: 'Seconds at most' },
    timeout: { name: 'Seconds at most' },
    url_timeout: { name: 'Seconds for a URL' },
    fetch_limit: { name: 'Requests at most' },
    follow_nofollow: { name: 'Follow links marked nofollow' },
    follow_logout: { name: 'Follow links that sign out' },
    trap_detection: { name: 'Recognize endless calendars and the like' },
  },
  'How polite': {
    respect_robots: { name: 'Obey robots.txt', isFirst: true },
    host_delay_ms: { name: 'Milliseconds between requests', isFirst: true },
    host_concurrency: { name: 'Requests at a time' },
    unreachable_seconds: { name: 'Seconds until a silent host is given up' },
    keep_cookies: { name: 'Keep the cookies that sites set' },
    insecure_tls: { name: 'Accept any certificate of private hosts' },
    proxy: { name: 'Proxy of the operator, by its name' },
    priority: { name: 'Priority among jobs' },
  },
  'What comes out': {
    output_format: { name: 'Format of the text', isFirst: true },
    content: { name: 'Which part of a page', isFirst: true },
    use_browser: { name: 'Run JavaScript in a browser', isFirst: true },
    formats: { name: 'Further formats' },
    extract: { name: 'Structured data' },
    store_raw: { name: 'Keep pages as their sites sent them' },
    exclude_elements: { name: 'Remove these elements' },
    include_elements: { name: 'Keep only these elements' },
    links: { name: 'Links in the text' },
    images: { name: 'Images in the text' },
    title: { name: 'Title in the text' },
    wait_for: { name: 'Wait in the browser for' },
    block_resources: { name: 'Load no images and styles in the browser' },
    min_length: { name: 'Characters of a page at least' },
    error_pages: { name: 'Also keep error pages' },
    screenshot: { name: 'Take a picture' },
    output_expiry: { name: 'Seconds to keep the results' },
    webhook_url: { name: 'Report to this URL' },
  },
};

interface Place extends Placed {
  readonly group: Group;
  /** Position in the form. */
  readonly order: number;
}

const places = new Map<string, Place>();
for (const group of groups)
  for (const [option, place] of Object.entries(placed[group]))
    places.set(option, { group, order: places.size, ...place });

export function placeOf(option: string): Place {
  const text = option.replaceAll('_', ' ');
  const name = text.slice(0, 1).toUpperCase() + text.slice(1);
  return places.get(option) ?? { name, group: 'What comes out', order: places.size };
}
