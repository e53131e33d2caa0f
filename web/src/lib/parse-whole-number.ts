/** Returns the number that a text of digits stands for, undefined unless it is from `min` to `max`, both included. */
export function parseWholeNumber(text: string, range: { min: number; max: number }): number | undefined {
  const digits = text.trim();
  if (!/^\d{1,15}$/.test(digits)) return undefined;
  const number = Number(digits);
  return number >= range.min && number <= range.max ? number : undefined;
}
