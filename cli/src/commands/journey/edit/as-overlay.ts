import path from "node:path";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { slug } from "@waymark/journey-authoring/template/names.ts";
import { wrapAsOverlay } from "@waymark/journey-authoring/variant/wrap-as-overlay.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { writeDocument, writeJson, writeLine } from "../../../lib/output.ts";
import { readText } from "../../../lib/read-text.ts";
import { createFile } from "../../../lib/write-file.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { titleOf } from "../new/title.ts";
import { documentError } from "../problems.ts";
import { editedText } from "./edited-text.ts";

interface AsOverlayOptions {
  file: string;
  asOverlay: string;
  variant: boolean | undefined;
  dryRun: boolean | undefined;
  json: boolean | undefined;
}

/** Writes the edits as a new overlay, and doesn't change the journey. */
export async function writeAsOverlay(
  context: CliContext,
  options: AsOverlayOptions,
  commands: readonly EditCommand[],
): Promise<number> {
  const { file, asOverlay } = options;
  if (file === "-") throw usageError("--as-overlay takes a journey's file: the overlay refers to it.");
  if (options.variant === true) throw usageError("Give either --variant or --as-overlay.");
  const base = parseDocument(await readText(context, file), { file: rooted(context, file) });
  if (base.model === undefined) {
    const problems = base.problems.map((problem) => ({ ...problem, file }));
    throw documentError(`${file} can't be a base`, problems);
  }
  const title = titleOf(asOverlay);
  const names = { id: slug(title, "variant"), title, file: rooted(context, asOverlay) };
  const { text } = editedText(wrapAsOverlay(base, commands, names), commands, file);
  if (options.dryRun === true || asOverlay === "-") {
    writeDocument(context.stdout, text);
    return JOURNEY_EXIT.passed;
  }
  await createFile(context.cwd, asOverlay, { text, force: false });
  if (options.json === true)
    writeJson(context.stdout, { edits: commands.length, files: [{ file: asOverlay }] });
  else writeLine(context.stdout, `Made ${asOverlay}`);
  return JOURNEY_EXIT.passed;
}

function rooted({ cwd }: CliContext, name: string): string {
  return path.resolve(cwd, name === "-" ? "standard-output" : name).replaceAll("\\", "/");
}
