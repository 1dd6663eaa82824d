// Job ids as UUID text: generated clients read ids as UUIDs. Both forms have 128 bits, so one is computed from the other.

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns a job id (a ULID) as UUID text. */
export function uuidOf(jobId: string): string {
  let value = 0n;
  for (const character of jobId) value = value * 32n + BigInt(alphabet.indexOf(character));
  const hex = value.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the job id of UUID text, or of a job id in upper or lower case. Other text is returned unchanged. */
export function jobIdOf(text: string): string {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text.toUpperCase();
  let value = BigInt(`0x${text.replaceAll('-', '')}`);
  let id = '';
  for (let n = 0; n < 26; n++) {
    id = alphabet.charAt(Number(value % 32n)) + id;
    value /= 32n;
  }
  return id;
}
