import type { JourneyDocument } from "@waymark/journeys/document/parse.ts";
import type { EditCommand } from "../edit/command.ts";
import { overlayFor } from "../template/new-journey.ts";
import { editVariant } from "./edit-variant.ts";
import type { VariantResult } from "./edit-variant.ts";

/** Edits of a journey as a new overlay, which turns the unchanged journey into the edited one. */
export function wrapAsOverlay(
  base: JourneyDocument,
  commands: readonly EditCommand[],
  { id, title, file }: { id: string; title: string; file: string },
): VariantResult {
  return editVariant({ base, below: [] }, overlayFor(base, { id, title, file }), commands, { file });
}
