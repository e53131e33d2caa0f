/** An operation as links write it: `GET /books`, or `* /books` for every method of a path. */
export function operationOf(method: string | null, path: string): string {
  return `${method ?? "*"} ${path}`;
}

/** True if an item with this method and path belongs to the operation. Both sides may stand for every method. */
export function belongsToOperation(operation: string, method: string | null, path: string | null): boolean {
  const space = operation.indexOf(" ");
  const wanted = operation.slice(0, space);
  return path === operation.slice(space + 1) && (wanted === "*" || method === null || method === wanted);
}
