/** What to try where a site answers 401; undefined for any other reason. */
export function loginHint(reason: string): string | undefined {
  if (reason !== 'http_401') return undefined;
  return "The site asks for a login: https://NAME:PASSWORD@host/, --header 'Authorization: ...' or --cookie.";
}
