import { isObject, ownValue } from "../json.ts";
import { childPointer, type Pointer } from "../pointer.ts";
import { type Located, layersOf, type OpenApiSource, rootOf } from "../references.ts";

/** The method, in upper case, and the path of an operation. */
export interface OperationName {
  method: string;
  path: string;
}

/** Operations that can't be listed. The message completes "the value at this place …". */
export class OperationError extends Error {
  readonly pointer: Pointer;

  constructor(pointer: Pointer, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

const METHODS = ["get", "post", "put", "patch", "delete", "head", "options", "trace"] as const;

/**
 * Lists the operations under `paths` that a scan has as endpoints, in the order of the paths. References are followed within the document.
 *
 * @param max the number after which no more are listed
 * @throws OperationError for a path item or an operation that is no object, or whose reference leads nowhere
 */
export function listOperationNames(document: unknown, max: number): OperationName[] {
  const source: OpenApiSource = { name: "", url: "", document };
  const names: OperationName[] = [];
  const paths = childOf([rootOf(source)], "paths");
  if (paths === undefined || paths.value === null) return names;
  const layers = followed(source, paths);
  for (const path of keysOf(layers)) {
    const item = childOf(layers, path);
    if (path.startsWith("x-") || item === undefined || item.value === null) continue;
    const itemLayers = followed(source, item);
    for (const method of METHODS) {
      const operation = childOf(itemLayers, method);
      if (operation === undefined || operation.value === null) continue;
      followed(source, operation);
      names.push({ method: method.toUpperCase(), path });
      if (names.length > max) return names;
    }
  }
  return names;
}

/** Returns a value and those that its references lead to. */
function followed(source: OpenApiSource, at: Located): Located[] {
  let layers: Located[];
  try {
    layers = layersOf(source, at);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new OperationError(at.pointer, `can't be read: ${error.message}`);
  }
  const last = layers.at(-1);
  if (last !== undefined && isObject(last.value)) return layers;
  throw new OperationError(at.pointer, "must be an object");
}

function keysOf(layers: readonly Located[]): string[] {
  const keys = layers.toReversed().flatMap(({ value }) => (isObject(value) ? Object.keys(value) : []));
  return [...new Set(keys)].filter((key) => key !== "$ref");
}

/** The member of the first value that has it. */
function childOf(layers: readonly Located[], key: string): Located | undefined {
  for (const { value: container, file, pointer } of layers) {
    const value = ownValue(container, key);
    if (value !== undefined) return { value, file, pointer: childPointer(pointer, key) };
  }
  return undefined;
}
