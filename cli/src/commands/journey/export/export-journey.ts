import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyExportCommand } from "../export.ts";
import { stat } from "node:fs/promises";
import path from "node:path";
import { hasErrors } from "@waymark/journeys/document/problem.ts";
import { exportArazzo } from "@waymark/journey-authoring/exchange/export-arazzo.ts";
import type { ExportedArazzo } from "@waymark/journey-authoring/exchange/export-arazzo.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { relocated } from "@waymark/journey-authoring/template/names.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { printable } from "../../../lib/text.ts";
import { createFile } from "../../../lib/write-file.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { fileOfRootPath } from "../files/names.ts";
import { readJourney } from "../files/read-journey.ts";
import { documentError } from "../problems.ts";
import { writeDocument, writeJson, writeLine } from "../../../lib/output.ts";

const VERSIONS = ["1.0.1", "1.1.0"] as const;

type ExportOptions = OptionsOf<JourneyExportCommand>;

/** Writes a journey in another format, and lists what that format can't express. */
export async function exportJourney(context: CliContext, options: ExportOptions): Promise<number> {
  const { format, file, arazzo } = options;
  if (format !== "arazzo")
    throw usageError(`waymark journey export takes arazzo, and then a file, not ${printable(format, 60)}.`);
  const version = VERSIONS.find((known) => known === arazzo);
  if (arazzo !== undefined && version === undefined)
    throw usageError(`--arazzo takes ${VERSIONS.join(" or ")}.`);
  const { merged, baseFile } = await readJourney(context, { file, overlays: options.overlay });
  const problems = checkDocument(merged);
  const out = options.out ?? defaultName(options);
  const target = path.resolve(context.cwd, out === "-" ? "exported" : out);
  const exported = hasErrors(problems)
    ? undefined
    : exportArazzo(merged, {
        ...(version === undefined ? {} : { version }),
        relocate: (url) => relocated(url, asUrl(fileOfRootPath(baseFile.path)), asUrl(target)),
      });
  if (exported === undefined) throw documentError(`${file} can't be exported`, problems);
  await write(context, options, { out, exported });
  return options.strict === true && exported.notes.length > 0 ? JOURNEY_EXIT.failed : JOURNEY_EXIT.passed;
}

function asUrl(file: string): string {
  return file.replaceAll("\\", "/");
}

function defaultName({ file, overlay }: ExportOptions): string {
  const last = overlay.at(-1) ?? file;
  if (last === "-") return "journey.arazzo.yaml";
  return `${last.replace(/(?:\.journey|\.arazzo)?(?:\.overlay)?\.(?:ya?ml|json)$/i, "")}.arazzo.yaml`;
}

async function write(
  { cwd, stdout, stderr }: CliContext,
  options: ExportOptions,
  { out, exported }: { out: string; exported: ExportedArazzo },
): Promise<void> {
  const { text, notes } = exported;
  const force = options.force === true;
  const beside = exported.files.map((extra) => ({
    ...extra,
    name: path.join(path.dirname(out), extra.name),
  }));
  if (out === "-") {
    writeDocument(stdout, text);
    if (beside.length > 0)
      writeLine(stderr, `It refers to ${beside[0]?.name ?? ""}, which --out FILE writes too.`);
  } else {
    const files = [{ name: out, text }, ...beside];
    if (!force) await refuseExisting(cwd, files);
    for (const extra of files) await createFile(cwd, extra.name, { text: extra.text, force });
  }
  const stream = out === "-" ? stderr : stdout;
  const names = out === "-" ? [] : [out, ...beside.map(({ name }) => name)];
  if (options.json === true) {
    writeJson(stream, { files: names, notes });
    return;
  }
  for (const name of names) writeLine(stream, `Made ${name}`);
  if (notes.length > 0) writeLine(stream, "Left out or changed:");
  for (const note of notes) writeLine(stream, `  ${note}`);
}

async function refuseExisting(cwd: string, files: readonly { name: string }[]): Promise<void> {
  for (const { name } of files) {
    const exists = await stat(path.resolve(cwd, name)).then(
      () => true,
      () => false,
    );
    if (exists) throw usageError(`Can't write ${name}: it exists already; --force replaces it.`);
  }
}
