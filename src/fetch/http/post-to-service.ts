// Imports would load all that `node:http` exports: 30 ms of processor time at each start.
const { request: plainRequest } = process.getBuiltinModule('node:http');
const { request: encryptedRequest } = process.getBuiltinModule('node:https');

export interface ServiceResponse {
  readonly status: number;
  readonly contentType: string;
  /** `Retry-After` as sent; empty if absent. */
  readonly retryAfter: string;
  readonly text: string;
}

export interface ServiceRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request, and with it the work of the service. */
  readonly signal: AbortSignal;
  /** Limit of response bytes. */
  readonly bytesMax: number;
}

/**
 * Posts to a service that the user names, JSON unless the headers say otherwise, and returns its response, whatever its status. Follows no redirects, because the
 * headers can have a token. Rejects with an `Error` if there is no response. The URL is the user's own, which no page can
 * name, so the request bypasses the crawl's guard.
 */
export function postToService(url: URL, { headers, body, signal, bytesMax }: ServiceRequest): Promise<ServiceResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ServiceResponse>();
  const request = url.protocol === 'https:' ? encryptedRequest : plainRequest;
  const posted = request(
    url,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
    },
    (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > bytesMax) response.destroy(new Error('the response is too long'));
      });
      response.on('end', () => {
        const { statusCode = 0, headers: received } = response;
        resolve({
          status: statusCode,
          contentType: received['content-type'] ?? '',
          retryAfter: received['retry-after'] ?? '',
          text: Buffer.concat(chunks).toString(),
        });
      });
      response.on('error', reject);
    },
  );
  posted.on('error', reject);
  posted.end(body);
  return promise;
}
