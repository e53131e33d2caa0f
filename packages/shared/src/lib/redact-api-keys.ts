/** What an API key looks like wherever it stands in a text, whole or with its prefix cut off at the front. */
const API_KEY_ANYWHERE = /wmk_([0-9A-Za-z]{12})_[0-9A-Za-z]{20,}/g;
/** The token of a console's session, which is as good as the key while the session lasts. */
const SESSION_TOKEN_ANYWHERE = /wms_[0-9A-Za-z_-]{20,}/g;

/**
 * Replaces the secret of every API key in a text, and every session's token; a key's public prefix is left. It stands behind every log line and
 * every error answer, for the one that somebody puts into an address or a field by mistake.
 */
export function redactApiKeys(text: string): string {
  // Nearly every text has none: looking for four letters costs a fraction of the expression.
  const redacted = text.includes("wmk_") ? text.replace(API_KEY_ANYWHERE, "wmk_$1_[redacted]") : text;
  return redacted.includes("wms_") ? redacted.replace(SESSION_TOKEN_ANYWHERE, "wms_[redacted]") : redacted;
}

/** Whether a text holds something that looks like an API key, or a session's token. */
export function containsApiKey(text: string): boolean {
  return redactApiKeys(text) !== text;
}
