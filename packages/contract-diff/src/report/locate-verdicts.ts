import { locatePointers } from "@waymark/openapi/locate.ts";
import { parentPointer } from "@waymark/openapi/pointer.ts";
import type { Description } from "../read/description.ts";
import type { Position, Verdict } from "../verdict.ts";

/** Adds the lines and columns of verdicts. */
export function locateVerdicts(verdicts: readonly Verdict[], base: Description, head: Description): void {
  for (const side of ["base", "head"] as const) {
    const description = side === "base" ? base : head;
    locatePositions(
      verdicts.flatMap((verdict) => verdict[side] ?? []),
      description,
    );
  }
}

/** Adds the lines and columns of positions, in one pass through each file. */
export function locatePositions(
  positions: readonly Position[],
  description: Pick<Description, "textOf">,
): void {
  const byFile = new Map<string, Position[]>();
  for (const position of positions) {
    const known = byFile.get(position.file);
    if (known === undefined) byFile.set(position.file, [position]);
    else known.push(position);
  }
  for (const [file, each] of byFile) locate(description.textOf(file), each);
}

function locate(text: string | undefined, positions: readonly Position[]): void {
  if (text === undefined) return;
  // A value that one schema has by an alias or a merge stands elsewhere: its parent is the next best place.
  const wanted = positions.flatMap(({ pointer }) => [pointer, parentPointer(pointer)]);
  const found = locatePointers(text, wanted);
  for (const position of positions) {
    const at = found.get(position.pointer) ?? found.get(parentPointer(position.pointer));
    if (at !== undefined) Object.assign(position, at);
  }
}
