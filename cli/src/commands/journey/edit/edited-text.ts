import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { documentError } from "../problems.ts";

export type EditedText =
  | { ok: true; text: string; inverse: EditCommand[] }
  | { ok: false; index: number; problems: Problem[] };

/** @throws {CliError} that names the command that was refused */
export function editedText(
  edited: EditedText,
  commands: readonly EditCommand[],
  file: string,
): Extract<EditedText, { ok: true }> {
  if (edited.ok) return edited;
  const { op } = commands[edited.index] ?? { op: "setScalar" };
  const which = commands.length === 1 ? op : `Edit ${edited.index + 1} of ${commands.length} (${op})`;
  throw documentError(`${which} can't be made, and ${file} stays as it is`, edited.problems);
}
