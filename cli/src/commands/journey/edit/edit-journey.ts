import path from "node:path";
import { Readable } from "node:stream";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { hasErrors } from "@waymark/journeys/document/problem.ts";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { editAll } from "@waymark/journey-authoring/edit/edit-all.ts";
import { editVariant } from "@waymark/journey-authoring/variant/edit-variant.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { plural } from "../../../lib/text.ts";
import { unifiedDiff } from "../../../lib/unified-diff.ts";
import { replaceFile } from "../../../lib/write-file.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { displayPath } from "../files/names.ts";
import { readJourney } from "../files/read-journey.ts";
import { lintFile } from "../lint/lint-journeys.ts";
import { documentError, problemLines } from "../problems.ts";
import { writeAsOverlay } from "./as-overlay.ts";
import { editCommands } from "./edit-commands.ts";
import type { EditFlags } from "./edit-commands.ts";
import { editedText } from "./edited-text.ts";
import type { EditedText } from "./edited-text.ts";
import { writeDocument, writeJson, writeLine, writeText } from "../../../lib/output.ts";

export interface EditOptions extends EditFlags {
  variant: boolean | undefined;
  asOverlay: string | undefined;
  dryRun: boolean | undefined;
  check: boolean | undefined;
  json: boolean | undefined;
}

/** Edits a file, or standard input to standard output. */
export async function editJourney(context: CliContext, options: EditOptions): Promise<number> {
  const commands = await editCommands(context, options);
  const { asOverlay } = options;
  if (asOverlay !== undefined) return writeAsOverlay(context, { ...options, asOverlay }, commands);
  const before = await readText(context, options.file, { keepBom: true });
  const file = options.file === "-" ? "standard input" : displayPath(context.cwd, options.file);
  const edit = options.variant === true ? await variantEditor(context, options.file, file) : editAll;
  const { text: after, inverse } = editedText(edit(before, commands, { file }), commands, file);
  const brought = await newProblems(context, { before, after, file });
  if (options.check === true && hasErrors(brought))
    throw documentError(`The edits would bring errors into ${file}, which stays as it is`, brought);
  const diff = unifiedDiff(before, after, file);
  if (options.dryRun !== true && options.file !== "-" && after !== before)
    await writeUnchanged(context, options.file, { before, after });
  report(context, options, { commands, after, inverse, diff, brought, isChanged: after !== before });
  return JOURNEY_EXIT.passed;
}

/** Applies the edits as actions of an overlay on the base that its `extends` names. */
async function variantEditor(context: CliContext, name: string, file: string) {
  if (name === "-")
    throw usageError("--variant takes the overlay's file: what it extends is found beside it.");
  const { base, overlays } = await readJourney(context, { file: name, overlays: [] });
  if (overlays.length === 0)
    throw usageError(`${file} is not an overlay: --variant edits the journey that an overlay makes.`);
  const below = { base, below: overlays.slice(0, -1).map(({ overlay }) => overlay) };
  return (text: string, commands: readonly EditCommand[]): EditedText =>
    editVariant(below, text, commands, { file });
}

/** Writes the new text. @throws {CliError} if the file was changed meanwhile, so that no change is overwritten */
async function writeUnchanged(
  context: CliContext,
  file: string,
  { before, after }: { before: string; after: string },
): Promise<void> {
  if ((await readText(context, file, { keepBom: true })) !== before)
    throw usageError(`${file} was changed by someone else meanwhile; nothing was written.`);
  await replaceFile(context.cwd, file, after);
}

/** The problems of the new text that the old one didn't have, regardless of their position. */
async function newProblems(
  context: CliContext,
  { before, after, file }: { before: string; after: string; file: string },
): Promise<Problem[]> {
  if (before === after) return [];
  const known = new Map<string, number>();
  const key = ({ code, message }: Problem): string => `${code} ${message}`;
  for (const problem of await problemsOf(context, before, file))
    known.set(key(problem), (known.get(key(problem)) ?? 0) + 1);
  return (await problemsOf(context, after, file)).filter((problem) => {
    const left = known.get(key(problem)) ?? 0;
    known.set(key(problem), left - 1);
    return left <= 0;
  });
}

/** A text that isn't written yet is linted like standard input, in the folder of its file. */
async function problemsOf({ cwd }: CliContext, text: string, file: string): Promise<Problem[]> {
  const folder = path.dirname(path.resolve(cwd, file));
  const request = { file: "-", overlay: [], source: [], workflow: undefined, env: undefined };
  const problems = await lintFile(
    { cwd: folder, openStdin: () => Readable.from([Buffer.from(text)]) },
    request,
  );
  return problems.map((problem) => (problem.file === "standard input" ? { ...problem, file } : problem));
}

function report(
  { stdout, stderr }: CliContext,
  options: EditOptions,
  done: {
    commands: readonly EditCommand[];
    after: string;
    inverse: readonly EditCommand[];
    diff: string;
    brought: readonly Problem[];
    isChanged: boolean;
  },
): void {
  const { commands, after, inverse, diff, brought, isChanged } = done;
  if (options.file === "-" && options.dryRun !== true && options.json !== true) writeDocument(stdout, after);
  else if (options.json === true) {
    const text = options.file === "-" ? { text: after } : {};
    const written = isChanged && options.dryRun !== true;
    writeJson(stdout, {
      edits: commands.length,
      changed: isChanged,
      written,
      diff,
      inverse,
      problems: brought,
      ...text,
    });
  } else if (options.dryRun === true) writeText(stdout, diff);
  else if (isChanged) writeLine(stdout, `${options.file}: ${plural(commands.length, "edit")}`);
  else writeLine(stdout, `${options.file}: nothing to change`);
  if (options.json !== true) for (const line of problemLines(brought)) writeLine(stderr, line);
}
