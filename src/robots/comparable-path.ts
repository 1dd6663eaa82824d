/**
 * Writes paths of rules and of URLs in one way, so that they can be compared character by character (RFC 9309, 2.2.2):
 * unreserved characters stand as themselves, reserved ones as they were written, all others percent-encoded in upper
 * case.
 */
export function comparablePath(path: string): string {
  return path
    .toWellFormed()
    .replace(/[^\w.~!#$%&()*+,/:;=?@-]+/g, (characters) => encodeURIComponent(characters).replaceAll("'", '%27'))
    .replace(/%[0-9a-f]{2}/gi, (encoded) => {
      const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
    });
}
