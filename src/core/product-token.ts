/** The name under which sites address us, in lower case: in robots.txt (RFC 9309, 2.2.1), `X-Robots-Tag` and `<meta>`. */
export const productToken = 'hayrake';
