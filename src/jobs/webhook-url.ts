import { UserError } from '../core/errors.ts';
import type { DestinationPolicy } from '../core/ports/fetcher.ts';
import { webhookUrlLengthMax } from '../options/schemas.ts';
import { parseHttpUrl } from '../url/parse-url.ts';

const field = 'webhook_url';

export interface WebhookRules {
  readonly destinations: DestinationPolicy;
  /** Accept http as well, for receivers in the operator's own network. @default false */
  readonly webhookHttp?: boolean;
}

/** Parses a client's webhook URL and returns its normal form. Throws a `UserError` that names the field. */
export function parseWebhookUrl(text: string, { destinations, webhookHttp = false }: WebhookRules): string {
  const parsed = parseHttpUrl(text);
  if ('problem' in parsed) throw refuse('invalid_body', parsed.problem);
  const { url } = parsed;
  if (url.protocol === 'http:' && !webhookHttp) {
    throw refuse(
      'invalid_body',
      'Give an https URL. For receivers in your own network, the operator can allow http with HAYRAKE_WEBHOOK_HTTP.',
    );
  }
  if (url.href.length > webhookUrlLengthMax) {
    throw refuse('invalid_body', 'The URL is longer than 2,048 characters, counted percent-encoded.');
  }
  const refusal = destinations.refusal(url);
  if (refusal !== undefined) throw refuse('destination_not_allowed', refusal);
  return url.href;
}

function refuse(code: 'invalid_body' | 'destination_not_allowed', message: string): UserError {
  return new UserError(code, `\`${field}\`: ${message}`, [{ field, message }]);
}
