/** The name by which sites address us, in lower case: in robots.txt (RFC 9309, 2.2.1), `X-Robots-Tag` and `<meta>`. */
export const productToken = 'hayrake';

/**
 * Prefix of the user agent of every fetch and every webhook; no client can change it. Our listeners recognise a hayrake
 * crawler by it, however it reached them.
 */
export const crawlerMarker = `${productToken}/`;
