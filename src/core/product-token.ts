/** The name under which sites address us, in lower case: in robots.txt (RFC 9309, 2.2.1), `X-Robots-Tag` and `<meta>`. */
export const productToken = 'hayrake';

/**
 * Begins the user agent of every fetch and every webhook, which no client can change. It is the marker by which our own listeners know
 * a crawler of ours, by whatever way it was led to them.
 */
export const crawlerMarker = `${productToken}/`;
