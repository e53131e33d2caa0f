/** Returns the values that are not empty, by their names. */
export function withoutEmpty(values: object): Readonly<Record<string, string>> {
  const given = Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(given);
}
