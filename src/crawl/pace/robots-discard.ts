import type { Discard } from '../../core/request.ts';
import type { RobotsRules } from '../../robots/robots-rules.ts';
import { crawlDelaySecondsMax } from './politeness.ts';

/** Why robots.txt forbids a URL; undefined if it does not. */
export function robotsDiscard(url: URL, rules: RobotsRules): Discard | undefined {
  const { crawlDelaySeconds = 0 } = rules;
  if (crawlDelaySeconds > crawlDelaySecondsMax)
    return { reason: 'crawl_delay_too_long', detail: `${crawlDelaySeconds} seconds` };
  const verdict = rules.verdict(url.href);
  if (verdict.allowed) return undefined;
  return { reason: 'robots_disallowed', detail: `${verdict.rule} (robots.txt, line ${verdict.line})` };
}
