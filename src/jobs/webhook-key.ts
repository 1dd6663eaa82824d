/** A signing key as Standard Webhooks writes it, and its libraries take it. */
export function webhookSecret(key: Uint8Array): string {
  return `whsec_${Buffer.from(key).toString('base64')}`;
}
