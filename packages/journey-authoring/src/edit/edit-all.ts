import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { EditCommand } from "./command.ts";
import { editOpened, openForEdits } from "./edit-document.ts";

export type EditAllResult =
  | {
      ok: true;
      text: string;
      /** Commands that, carried out in order on the new text, give the old one back byte for byte. */
      inverse: EditCommand[];
    }
  /** `index` is that of the command that was refused; places are those of the text as the commands before it left it. */
  | { ok: false; index: number; problems: Problem[] };

/** Carries out commands one after another: all of them, or none. */
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
