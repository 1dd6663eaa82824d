import { productToken } from '../core/product-token.ts';
import { byPrecedence, parseRule, type Rule } from './rule.ts';

/** The part of a robots.txt that applies to us: the groups for us, or for everyone if there are none for us. */
export interface OurGroups {
  /** In order of precedence: the first match decides. */
  readonly rules: readonly Rule[];
  readonly crawlDelaySeconds: number | undefined;
  /** The URLs of all sitemap lines, since these belong to no group (RFC 9309, 2.2.4). */
  readonly sitemaps: readonly string[];
}

/** All groups for one agent, merged (RFC 9309, 2.2.1). */
class MergedGroup {
  isAddressed = false;
  crawlDelaySeconds: number | undefined;
  readonly rules: Rule[] = [];
}

export function readOurGroups(lines: readonly string[]): OurGroups {
  const ours = new MergedGroup();
  const everyones = new MergedGroup();
  const sitemaps: string[] = [];
  /** Which of the two the current group is for. */
  let current = new Set<MergedGroup>();
  let isInRules = false;

  for (const [index, line] of lines.entries()) {
    const { written, name, value } = split(line);
    switch (name) {
      case 'user-agent': {
        if (isInRules) current = new Set();
        isInRules = false;
        const group = isUs(value) ? ours : isEveryone(value) ? everyones : undefined;
        if (!group) break;
        group.isAddressed = true;
        current.add(group);
        break;
      }
      case 'allow':
      case 'disallow': {
        isInRules = true;
        // An empty pattern matches nothing.
        if (value === '' || current.size === 0) break;
        const rule = parseRule(name === 'allow', value, written, index + 1);
        for (const group of current) group.rules.push(rule);
        break;
      }
      case 'crawl-delay':
        // Not in the RFC, but treated as a rule here: a group for everyone with only a delay must not merge with the
        // next group.
        isInRules = true;
        for (const group of current) group.crawlDelaySeconds ??= secondsOf(value);
        break;
      case 'sitemap':
        sitemaps.push(value);
        break;
      default:
      // Unknown lines must not change how the others are read (RFC 9309, 2.2.4).
    }
  }

  // A group for us replaces the rules for everyone even if it has no rules.
  const { rules, crawlDelaySeconds } = ours.isAddressed ? ours : everyones;
  return { rules: rules.toSorted(byPrecedence), crawlDelaySeconds, sitemaps };
}

function split(line: string): { readonly written: string; readonly name: string; readonly value: string } {
  const written = (line.split('#', 1)[0] ?? '').trim();
  const colonAt = written.indexOf(':');
  if (colonAt === -1) return { written, name: '', value: '' };
  return { written, name: written.slice(0, colonAt).trim().toLowerCase(), value: written.slice(colonAt + 1).trim() };
}

function isEveryone(agent: string): boolean {
  return /^\*(?:\s|$)/.test(agent);
}

/** A product token ends with its letters: `Hayrake/1.0` and `hayrake bot` mean us, `hayraker` does not. */
function isUs(agent: string): boolean {
  return /^[a-z_-]+/i.exec(agent)?.[0].toLowerCase() === productToken;
}

function secondsOf(value: string): number | undefined {
  const seconds = value === '' ? Number.NaN : Number(value);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
