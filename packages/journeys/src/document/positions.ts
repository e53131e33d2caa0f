import { parentPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { Position } from "./problem.ts";

/** Where a node stands: its key (for members of an object) and its value. */
export interface NodePosition {
  key?: Position;
  value: Position;
}

/** Places of a document's nodes, by JSON Pointer. */
export interface Positions {
  file: string;
  get(pointer: Pointer): NodePosition | undefined;
}

/** The position of the key if there is one, otherwise of the value. For an unknown pointer, that of its nearest ancestor. */
export function sourceOf(positions: Positions, pointer: Pointer): Position {
  for (let at = pointer; ; at = parentPointer(at)) {
    const found = positions.get(at);
    if (found !== undefined) return found.key ?? found.value;
    if (at === "") return { file: positions.file, line: 1, column: 1 };
  }
}

/** Like `sourceOf`, but prefers the value's position, where wrong values are reported. */
export function valueSourceOf(positions: Positions, pointer: Pointer): Position {
  return positions.get(pointer)?.value ?? sourceOf(positions, pointer);
}
