const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** True for a UUID of any version, which is how the server's ids look. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
