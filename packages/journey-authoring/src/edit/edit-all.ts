import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { EditCommand } from "./command.ts";
import { editOpened } from "./edit-document.ts";
import { openForEdits } from "./opened-text.ts";

export type EditAllResult =
  | {
      ok: true;
      text: string;
      /** Commands that restore the old text byte for byte, if applied to the new one in this order. */
      inverse: EditCommand[];
    }
  /** `index` is that of the refused command; positions refer to the text after the commands before it. */
  | { ok: false; index: number; problems: Problem[] };

/** Applies commands one after another: all of them, or none. */
export function editAll(
  text: string,
  commands: readonly EditCommand[],
  { file }: { file: string },
): EditAllResult {
  let opened = openForEdits(text, { file });
  if (opened.problems.length > 0) return { ok: false, index: 0, problems: opened.problems };
  const inverse: EditCommand[] = [];
  for (const [index, command] of commands.entries()) {
    const edited = editOpened(opened, command);
    if (!edited.ok) return { ok: false, index, problems: edited.problems };
    inverse.unshift(...edited.inverse);
    ({ opened } = edited);
  }
  return { ok: true, text: opened.text, inverse };
}
