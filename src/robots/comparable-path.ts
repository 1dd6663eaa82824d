/**
 * Normalizes paths of rules and URLs, so that they can be compared character by character (RFC 9309, 2.2.2): unreserved
 * characters are plain, reserved ones stay as written, all others are percent-encoded in upper case.
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
