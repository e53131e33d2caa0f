/** What an API key looks like wherever it stands in a text, whole or with its prefix cut off at the front. */
const API_KEY_ANYWHERE = /wmk_([0-9A-Za-z]{12})_[0-9A-Za-z]{20,}/g;

/**
 * Replaces the secret of every API key in a text and leaves its public prefix. It stands behind every log line and
 * every error answer, for the key that somebody puts into an address or a field by mistake.
 */
export function redactApiKeys(text: string): string {
  // Nearly every text has none: looking for four letters costs a fraction of the expression.
  return text.includes("wmk_") ? text.replace(API_KEY_ANYWHERE, "wmk_$1_[redacted]") : text;
}

/** Whether a text holds something that looks like an API key. */
export function containsApiKey(text: string): boolean {
  return redactApiKeys(text) !== text;
}
