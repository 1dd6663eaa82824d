import type { Authenticator } from '../api/guard/authenticate.ts';
import type { Log } from '../core/ports/log.ts';
import type { AskSearchEngine } from './web-search.ts';

/** What the facade needs besides the dependencies of all routes. */
export interface FacadeOptions {
  readonly authenticator: Authenticator;
  readonly log: Log;
  /** The operator's search engine; undefined without one. */
  readonly askSearchEngine: AskSearchEngine | undefined;
  /** The address that the server listens on. */
  readonly host: string;
  /** Where clients reach this service, without a slash at the end. @default scheme `http` and the `Host` of the request */
  readonly publicUrl: string | undefined;
}
