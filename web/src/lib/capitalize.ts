/** Returns a text that begins with a capital letter, for the beginning of a sentence. */
export function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
