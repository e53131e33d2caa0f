import nodePath from "node:path";
import type { Description as Contract } from "@waymark/contract-diff/read/description.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { externalReferences } from "@waymark/openapi/references.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { relativePath } from "../../lib/workspace-root.ts";
import { describeDuplicates } from "../../openapi/describe-omissions.ts";
import { decodeText } from "../../openapi/decode-text.ts";
import { filesOnDisk } from "../../openapi/read-source.ts";
import { findRevisionFile } from "./revision-files.ts";
import { type Description, readDescription } from "../scan/read-description.ts";

/** The largest description that is compared: nothing is sent anywhere. */
const SPEC_BYTES_MAX = 50 * 1024 * 1024;

/** One of the two descriptions, for each of the comparisons. */
export interface ContractSide {
  description: Description;
  contract: Contract;
  /** Names a file of the description in messages, such as `main:openapi.yaml`. */
  nameOf: (file: string) => string;
}

type Settings = Omit<Parameters<typeof readDescription>[2], "files" | "bytesMax">;

/** Reads a file, standard input or `REV:path`, with the files that it refers to. @throws {CliError} */
export async function readContract(
  context: CliContext,
  reporter: Reporter,
  settings: Settings,
): Promise<ContractSide> {
  const { cwd, env } = context;
  const isStdin = settings.spec === STDIN_NAME;
  const bytesMax = SPEC_BYTES_MAX;
  const revision = isStdin ? undefined : await findRevisionFile(settings.spec, { cwd, env, bytesMax });
  const files = revision?.files ?? filesOnDisk(bytesMax);
  const spec = revision === undefined ? settings.spec : nodePath.relative(cwd, revision.file);
  const description = await readDescription(context, reporter, { ...settings, spec, files, bytesMax });
  const { source } = description;
  if (isStdin && settings.stdinName === undefined) refuseOtherFiles(source.value);
  const folder = nodePath.dirname(source.file);
  const contract = await loadDescription({
    text: source.text,
    document: description.document,
    name: settings.spec,
    readFile: async (file) => {
      const full = nodePath.resolve(folder, file);
      if (!settings.allowOutside && !(await files.isInside(full, folder))) return undefined;
      return readReferred(() => files.read(full, file), file);
    },
  });
  // The description's own notes name the duplicate keys of the files that its endpoints come from.
  const others = contract.contractFiles
    .filter(({ name }) => name !== "" && !description.files.includes(nodePath.resolve(folder, name)))
    .map((file) => ({ ...file, name: relativePath(cwd, nodePath.resolve(folder, file.name)) }));
  for (const note of [...description.notes, ...describeDuplicates(others)])
    reporter.omission(`${printable(settings.spec, 200)}: ${note}`);
  const prefix = revision === undefined ? undefined : settings.spec.slice(0, settings.spec.indexOf(":") + 1);
  return {
    description,
    contract,
    nameOf: (file) => {
      if (file === "" && (isStdin || prefix !== undefined))
        return settings.stdinName ?? shownName(settings.spec);
      const shown = relativePath(cwd, nodePath.resolve(folder, file === "" ? source.file : file));
      return `${prefix ?? ""}${shown}`;
    },
  };
}

function shownName(spec: string): string {
  return spec === STDIN_NAME ? "standard input" : spec;
}

/** References that paths depend on were read before: others that can't be read are compared by what is known. */
async function readReferred(read: () => Promise<Buffer>, name: string): Promise<string | undefined> {
  try {
    return decodeText(await read(), name);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** Files of the working directory are not those of the revision that standard input most often comes from. */
function refuseOtherFiles(value: unknown): void {
  const [file] = externalReferences(value);
  if (file === undefined) return;
  throw usageError(
    `Standard input refers to other files, such as ${printable(file, 200)}, which would be read from the working directory and not ` +
      "from its revision. Compare revisions by REV:path, such as main:openapi.yaml. If the files here are the right ones, pass " +
      "--stdin-name with the path of the description.",
  );
}
