// The endpoints by path, for requests whose method the path does not have.
import type { FastifyContextConfig, FastifyReply } from 'fastify';
import { UserError } from '../../core/errors.ts';
import type { Api } from '../service.ts';

/** One path and its methods. */
interface Endpoint {
  readonly path: RegExp;
  readonly methods: Set<string>;
  readonly public: NonNullable<FastifyContextConfig['public']>;
}

/** Routes for all wrong methods would do the same, but 35 methods of 20 paths take 50 ms at every start. */
export class Endpoints {
  readonly #byUrl = new Map<string, Endpoint>();

  /** Knows the routes that are registered from now on. */
  constructor(api: Api) {
    api.addHook('onRoute', ({ url, method, config }) => {
      const path = new RegExp(
        `^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`,
        's',
      );
      const known = this.#byUrl.get(url) ?? { path, methods: new Set(), public: config?.public ?? false };
      this.#byUrl.set(url, known);
      for (const each of [method].flat()) known.methods.add(each);
    });
  }

  /**
   * Returns the endpoint of a request if only the method is wrong. Slashes count as in the router. `/crawler/jobs/preview`
   * is also `/crawler/jobs/:id`: then the methods of both count.
   */
  findOther(method: string, target: string): Endpoint | undefined {
    const path = target
      .replace(/\?.*$/s, '')
      .replaceAll(/\/{2,}/g, '/')
      .replace(/(?<=.)\/$/, '');
    const found = [...this.#byUrl.values()].filter((endpoint) => endpoint.path.test(path));
    const [first] = found;
    if (!first || found.some(({ methods }) => methods.has(method))) return undefined;
    const methods = new Set<string>();
    for (const endpoint of found) for (const each of endpoint.methods) methods.add(each);
    return { ...first, methods };
  }
}

/** The error for a method that the path does not have, with `Allow` (RFC 9110, 15.5.6). */
export function methodNotAllowed(method: string, { methods }: Endpoint, reply: FastifyReply): UserError {
  const allowed = [...methods].toSorted().join(', ');
  reply.header('allow', allowed);
  return new UserError('method_not_allowed', `This endpoint does not have the method ${method}. Use ${allowed}.`);
}
