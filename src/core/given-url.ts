/**
 * Completes a URL as a person types it: `example.com/docs` becomes `https://example.com/docs`. Text that cannot start
 * with a host is returned unchanged, and refused later.
 */
export function givenUrl(text: string): string {
  const isHost =
    /^(?:localhost|[\p{L}\p{N}](?:[\p{L}\p{N}-]*\.)+[\p{L}\p{N}-]+|\[[\da-f:.]+\])(?::\d+)?(?:[/?#].*)?$/iu.test(text);
  return isHost ? `https://${text}` : text;
}
