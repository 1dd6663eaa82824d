/** Formats a signing key as Standard Webhooks and its libraries expect it. */
export function webhookSecret(key: Uint8Array): string {
  return `whsec_${Buffer.from(key).toString('base64')}`;
}
