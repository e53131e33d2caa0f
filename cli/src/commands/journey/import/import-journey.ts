import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyImportCommand } from "../import.ts";
import path from "node:path";
import { importHar } from "@waymark/journey-authoring/exchange/har.ts";
import type { ImportResult } from "@waymark/journey-authoring/exchange/imported.ts";
import { importPostman } from "@waymark/journey-authoring/exchange/postman.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { plural, printable } from "../../../lib/text.ts";
import { createFile } from "../../../lib/write-file.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { writeDocument, writeJson, writeLine } from "../../../lib/output.ts";

/** Recordings are large, because they contain each response. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
const NOTES_SHOWN_MAX = 200;

type ImportOptions = OptionsOf<JourneyImportCommand>;

/** Creates a journey from another tool's file, and lists what needs a review. */
export async function importJourney(context: CliContext, options: ImportOptions): Promise<number> {
  const { format, file } = options;
  if (format !== "postman" && format !== "har")
    throw usageError(
      `waymark journey import takes postman or har, and then a file, not ${printable(format, 60)}.`,
    );
  const text = await readText(context, file, { bytesMax: FILE_BYTES_MAX });
  const imported = convert(format, text, options);
  if (!imported.ok) throw usageError(`${file}: ${imported.message}`);
  const out = options.out ?? `${baseName(file)}.journey.yaml`;
  if (out === "-") writeDocument(context.stdout, imported.text);
  else await createFile(context.cwd, out, { text: imported.text, force: options.force === true });
  report(context, { options, out, imported });
  return options.strict === true && imported.notes.length > 0 ? JOURNEY_EXIT.failed : JOURNEY_EXIT.passed;
}

function convert(format: "postman" | "har", text: string, { title, file }: ImportOptions): ImportResult {
  if (format === "har") return importHar(text, { title: title ?? baseName(file) });
  return importPostman(text, title === undefined ? {} : { title });
}

function baseName(file: string): string {
  if (file === "-") return "imported";
  const name = path.basename(file).replace(/(?:\.postman_collection)?\.(?:json|har)$/i, "");
  return name === "" ? "imported" : name;
}

function report(
  { stdout, stderr }: CliContext,
  {
    options,
    out,
    imported,
  }: { options: ImportOptions; out: string; imported: Extract<ImportResult, { ok: true }> },
): void {
  const { steps, notes } = imported;
  // Then standard output contains only the journey.
  const stream = out === "-" ? stderr : stdout;
  if (options.json === true) {
    writeJson(stream, { file: out, steps, notes });
    return;
  }
  if (out !== "-") writeLine(stream, `Made ${out} with ${plural(steps, "step")}`);
  if (notes.length === 0) return;
  writeLine(stream, "Look at:");
  for (const note of notes.slice(0, NOTES_SHOWN_MAX)) writeLine(stream, `  ${printable(note)}`);
  if (notes.length > NOTES_SHOWN_MAX) writeLine(stream, `  … and ${notes.length - NOTES_SHOWN_MAX} more`);
}
