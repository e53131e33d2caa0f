/** True if any of the parts contains the text, in any case. The empty text matches everything. */
export function matchesText(text: string, parts: readonly (string | null | undefined)[]): boolean {
  const wanted = text.toLowerCase();
  return wanted === "" || parts.some((part) => part?.toLowerCase().includes(wanted));
}
