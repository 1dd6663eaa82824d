/** A URL as a person types it: `example.com/docs` is `https://example.com/docs`. What cannot be a host is left for others to refuse. */
export function givenUrl(text: string): string {
  const isHost =
    /^(?:localhost|[\p{L}\p{N}](?:[\p{L}\p{N}-]*\.)+[\p{L}\p{N}-]+|\[[\da-f:.]+\])(?::\d+)?(?:[/?#].*)?$/iu.test(text);
  return isHost ? `https://${text}` : text;
}
