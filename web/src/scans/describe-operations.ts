const SHOWN_MAX = 3;

/** The first operations as one text, and how many others there are: `GET /books, POST /books`. */
export function describeOperations(operations: readonly { method: string; path: string }[]): {
  shown: string;
  more: number;
} {
  const names = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  return { shown: names.slice(0, SHOWN_MAX).join(", "), more: Math.max(0, names.length - SHOWN_MAX) };
}
