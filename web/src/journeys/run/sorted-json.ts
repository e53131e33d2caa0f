/** True for an object or a list. */
export function isStructure(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns a value as JSON with one member a line, in the order of their names: equal values have equal texts. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_name, member: unknown) => (isStructure(member) ? inOrder(member) : member),
    2,
  );
}

function inOrder(value: object): object {
  if (Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
