// What asks a running service, whichever way it was started.

export interface ApiClient {
  /** Asks the API. Throws with the answer's text unless the status is 200. */
  ask(pathAndQuery: string, options?: { body?: unknown; accept?: string; encoding?: string }): Promise<string>;
}

export function apiClient(origin: string, token: string): ApiClient {
  return {
    async ask(pathAndQuery, options = {}) {
      const headers: Record<string, string> = { authorization: `Bearer ${token}` };
      if (options.accept !== undefined) headers['accept'] = options.accept;
      const init: RequestInit = { headers };
      if (options.encoding !== undefined) headers['accept-encoding'] = options.encoding;
      if (options.body !== undefined) {
        headers['content-type'] = 'application/json';
        init.method = 'POST';
        init.body = JSON.stringify(options.body);
      }
      const answer = await fetch(origin + pathAndQuery, init);
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${pathAndQuery}: ${answer.status} ${text}`);
      return text;
    },
  };
}
