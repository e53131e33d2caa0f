/** The texts in a secret value, and where in it: a secret may be an object, such as a user and a password. */
export function secretTexts(value: unknown, path: string[] = []): { text: string; path: string[] }[] {
  if (typeof value === "string") return [{ text: value, path }];
  if (typeof value === "number" || typeof value === "bigint") return [{ text: String(value), path }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => secretTexts(member, [...path, name]));
}
