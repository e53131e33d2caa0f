import { isObject, ownObject } from "@waymark/openapi/json.ts";
import { locatePointers } from "@waymark/openapi/locate.ts";
import { decodePointer, encodePointer } from "@waymark/openapi/pointer.ts";
import { operationAt, type OperationPlace } from "../openapi/operation-place.ts";

/**
 * Returns a function that finds the operation or path at a position of a description's text. Each value begins at its key and ends
 * where the next one begins, so the last one that begins before the position has it.
 */
export function operationFinder(
  text: string,
  value: unknown,
): (line: number, column: number) => OperationPlace | undefined {
  let starts: { line: number; column: number; operation: OperationPlace | undefined }[] | undefined;
  return (line, column) => {
    starts ??= [...locatePointers(text, pointersOf(value))].map(([pointer, position]) => ({
      ...position,
      operation: operationAt(decodePointer(pointer) ?? []),
    }));
    return starts.findLast((start) => start.line < line || (start.line === line && start.column <= column))
      ?.operation;
  };
}

/** Returns the pointers of a description's members, of its paths, and of their members. */
function pointersOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  const paths = Object.entries(ownObject(value, "paths") ?? {});
  return [
    ...Object.keys(value).map((key) => encodePointer([key])),
    ...paths.flatMap(([path, item]) => [
      encodePointer(["paths", path]),
      ...(isObject(item) ? Object.keys(item).map((key) => encodePointer(["paths", path, key])) : []),
    ]),
  ];
}
