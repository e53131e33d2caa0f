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

/**
 * Returns a description's text for finding the lines of its places: empty if it is one line, such as a bundle. Every place would have
 * line 1 there, so that its pointer alone says where it is.
 */
export function textWithLines(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 || text.slice(end).trim() === "" ? "" : text;
}

function locate(text: string | undefined, positions: readonly Position[]): void {
  if (text === undefined || text === "") return;
  const found = locatePointers(
    text,
    positions.flatMap(({ pointer }) => [...upwards(pointer)]),
  );
  for (const position of positions) {
    // A value that one schema has by an alias or a merge stands elsewhere: what is above it is the next best place.
    for (const pointer of upwards(position.pointer)) {
      const at = found.get(pointer);
      if (at === undefined) continue;
      Object.assign(position, at);
      break;
    }
  }
}

/** Lists a pointer and those above it, without that of the whole text. */
function* upwards(pointer: string): Generator<string> {
  yield pointer;
  for (let at = parentPointer(pointer); at !== ""; at = parentPointer(at)) yield at;
}
