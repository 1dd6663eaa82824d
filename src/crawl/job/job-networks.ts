// Which private network a job may enter, and from where (docs/decisions/fetching.md). The rule is that of Private
// Network Access: a start URL or a page inside a network leads into it. A page, robots.txt or sitemap of the public web
// never does.
import { publicWeb, type Networks } from '../../core/ports/fetcher.ts';
import type { CrawlJob } from '../../core/job.ts';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import { scopeHostOf, scopeRootOf } from '../../url/scope.ts';

/** How soon a name that could not be resolved is resolved again. */
const undecidedMs = 10_000;

export const noPrivateNetworks: Networks = { privateNetworks: [], networkOf: () => Promise.resolve(publicWeb) };

/** Stores networks by host, and returns those that apply: see `Frontier.noteNetworks`. */
export type NoteNetworks = (networks: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, string>>>;

/**
 * The network of each host of a job. A host of a start URL is in the network that its name resolves to when the job is
 * first worked on, and stays there: a name that moves inside later leads nowhere. A host that a start URL was
 * redirected to is in the network that answered. Without private networks nothing is decided.
 */
export class JobNetworks {
  readonly #known: Map<string, string>;
  /** One per origin, with its host in the job. */
  readonly #startUrls: readonly (readonly [host: string, url: URL])[];
  readonly #scopeHosts: ReadonlySet<string>;
  readonly #withSubdomains: boolean;
  readonly #networks: Networks;
  readonly #note: NoteNetworks;
  /** By network, since the last decision: what {@link hiddenFrom} returns. */
  readonly #hidden = new Map<string | undefined, readonly string[]>();
  #deciding: Promise<void> | undefined;
  #decidedAt = Number.NEGATIVE_INFINITY;

  constructor({ spec, scopeHosts, networks: known }: CrawlJob, networks: Networks, note: NoteNetworks) {
    this.#networks = networks;
    this.#note = note;
    this.#scopeHosts = new Set(scopeHosts);
    this.#withSubdomains = spec.scope === 'subdomains';
    const origins = new Set(this.#areOpen ? spec.urls.map((text) => new URL(text).origin) : []);
    this.#startUrls = [...origins].map((origin) => [scopeHostOf(new URL(origin)), new URL(origin)]);
    // The setting can have changed since, so decide such a host again.
    const isNetwork = (name: string): boolean => name === publicWeb || networks.privateNetworks.includes(name);
    this.#known = new Map(Object.entries(known).filter(([, name]) => isNetwork(name)));
  }

  get #areOpen(): boolean {
    return this.#networks.privateNetworks.length > 0;
  }

  /** The private network that a fetch of this URL may enter if it comes from the job itself, not from another page. */
  entranceOf(url: URL): string | undefined | Promise<string | undefined> {
    if (!this.#areOpen) return undefined;
    const entrance = (): string | undefined => this.#known.get(this.#rootOf(url) ?? '') || undefined;
    const deciding = this.#decide();
    return deciding ? deciding.then(entrance) : entrance();
  }

  /** The hosts of the job that a response from this network must not lead to, including hosts not decided yet. */
  hiddenFrom(network: string | undefined): readonly string[] | Promise<readonly string[]> {
    if (!this.#areOpen) return [];
    const deciding = this.#decide();
    return deciding ? deciding.then(() => this.#hiddenFrom(network)) : this.#hiddenFrom(network);
  }

  #hiddenFrom(network: string | undefined): readonly string[] {
    const noted = this.#hidden.get(network);
    if (noted) return noted;
    const undecided = new Set(this.#startUrls.map(([host]) => host).filter((host) => !this.#known.has(host)));
    const isHidden = (host: string): boolean => {
      const other = this.#known.get(host) ?? publicWeb;
      return undecided.has(host) || (other !== publicWeb && other !== network);
    };
    const hidden = [...this.#scopeHosts].filter(isHidden);
    this.#hidden.set(network, hidden);
    return hidden;
  }

  /** Returns true if a response from this network must not lead to the URL. */
  async isHiddenFrom(network: string | undefined, url: URL): Promise<boolean> {
    const root = this.#rootOf(url);
    return root !== undefined && (await this.hiddenFrom(network)).includes(root);
  }

  #rootOf(url: URL): string | undefined {
    return scopeRootOf(url, this.#scopeHosts, this.#withSubdomains);
  }

  /**
   * Decides all start URLs at once: what a public page may lead to depends on all hosts. Undefined if there is nothing to
   * decide.
   */
  #decide(): Promise<void> | undefined {
    const isOver = monotonicNow() - this.#decidedAt < undecidedMs;
    const open = isOver ? [] : this.#startUrls.filter(([host]) => !this.#known.has(host));
    if (open.length > 0) this.#deciding ??= this.#decideOf(open).finally(() => (this.#deciding = undefined));
    return this.#deciding;
  }

  async #decideOf(open: readonly (readonly [host: string, url: URL])[]): Promise<void> {
    const decided = await Promise.all(
      open.map(async ([host, url]) => [host, await this.#networks.networkOf(url)] as const),
    );
    this.#decidedAt = monotonicNow();
    await this.#store(
      Object.fromEntries(decided.filter(([, network]) => network !== undefined)) as Record<string, string>,
    );
  }

  async #store(networks: Readonly<Record<string, string>>): Promise<void> {
    if (Object.keys(networks).length === 0) return;
    for (const [host, network] of Object.entries(await this.#note(networks))) this.#known.set(host, network);
    this.#hidden.clear();
  }
}
