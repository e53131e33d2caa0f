import path from "node:path";
import { externalReferences } from "@waymark/openapi/references.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { escapeJson } from "@waymark/shared/lib/printable.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { OptionsOf } from "../../framework/base-command.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { given } from "../../lib/config.ts";
import { writeDocument } from "../../lib/output.ts";
import { createReporter, type Reporter } from "../../lib/reporter.ts";
import { plural, printable } from "../../lib/text.ts";
import { createFile } from "../../lib/write-file.ts";
import { bundleOf } from "../../openapi/description-text.ts";
import { dropExamples } from "../../openapi/drop-examples.ts";
import { LOCAL_SPEC_BYTES_MAX } from "../../openapi/read-source.ts";
import { readSpec, type SpecReading } from "../../openapi/read-spec.ts";
import { settleSelection } from "../../openapi/select-operations.ts";
import { settleStdinName } from "../../openapi/stdin-name.ts";
import { writeIdentity } from "../../openapi/write-identity.ts";
import type { MinifyCommand } from "../minify.ts";

type MinifyFlags = OptionsOf<MinifyCommand>;

/** Writes a description as one small JSON text. */
export async function runMinify(context: CliContext, flags: MinifyFlags): Promise<ExitCode> {
  const { cwd, openStdin, stdout, stderr } = context;
  const reporter = createReporter(stderr, { quiet: false });
  const selection = settleSelection(flags);
  const reading = await readSpec({
    path: flags.file,
    stdinName: settleStdinName(cwd, flags.stdinName),
    openStdin,
    cwd,
    allowOutside: flags.allowOutside ?? false,
    selection,
    bytesMax: LOCAL_SPEC_BYTES_MAX,
  });
  for (const note of reading.notes) reporter.omission(note);
  await writeIdentity(reading);
  const value = await oneValueOf(reading, { isPart: selection !== undefined });
  // Escapes keep the values, and a terminal or a CI system reads no commands from them.
  const text = `${escapeJson(textOf(dropExamples(value)))}\n`;
  await assertSameScan(reading, text);
  const out = given(flags.out);
  if (out === undefined || out === STDIN_NAME) writeDocument(stdout, text);
  else await createFile(cwd, out, { text, force: flags.force ?? false });
  describe(reporter, { reading, text, value });
  return EXIT_CODES.ok;
}

async function oneValueOf(reading: SpecReading, options: { isPart: boolean }): Promise<JsonObject> {
  try {
    return (await bundleOf(reading, options)).value;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw usageError(`The description can't be written: ${error.message}.`, { cause: error });
  }
}

function textOf(value: JsonObject): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(
      "The description is too large to be written: its aliases or references repeat too much.",
      {
        cause: error,
      },
    );
  }
}

/** @throws {CliError} if a scan of the text would have other endpoints */
async function assertSameScan(reading: SpecReading, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const written = await readSpec({
    path: "minified.json",
    openStdin: async function* () {},
    cwd: path.dirname(reading.source.file),
    bytesMax: 2 * LOCAL_SPEC_BYTES_MAX,
    files: { read: async () => bytes, isInside: async () => true },
  });
  const [before, after] = [reading, written].map(({ spec: { title, version }, endpoints }) =>
    JSON.stringify([title, version, endpoints]),
  );
  if (before === after) return;
  throw usageError(
    "A scan of the result would have other endpoints, so nothing was written. Put numbers that are names, such as an operationId or a tag, in quotes.",
  );
}

interface Written {
  reading: SpecReading;
  text: string;
  value: JsonObject;
}

function describe(reporter: Reporter, { reading, text, value }: Written): void {
  const bytes = Buffer.byteLength(text);
  const { endpoints } = reading;
  reporter.note(
    `${reading.bytes.length} bytes became ${bytes}, with ${plural(endpoints.length, "operation")}.`,
  );
  const { specFileBytesMax, endpointsMax } = SCAN_LIMITS;
  const [left] = externalReferences(value);
  if (left !== undefined)
    reporter.omission(`a reference was not followed and stays, such as ${printable(left, 200)}.`);
  const beyond = [
    ...(bytes > specFileBytesMax ? [`more than ${specFileBytesMax} bytes`] : []),
    ...(endpoints.length > endpointsMax ? [`more than ${endpointsMax} operations`] : []),
  ];
  if (beyond.length === 0) return;
  reporter.omission(
    `a scan can't have ${beyond.join(" and ")}: select parts with --include-path, --exclude-path or --tag, and scan each as a service of its own.`,
  );
}
