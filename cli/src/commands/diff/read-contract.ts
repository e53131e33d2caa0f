import nodePath from "node:path";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { locatePositions } from "@waymark/contract-diff/report/locate-verdicts.ts";
import { externalReferences } from "@waymark/openapi/references.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, usageError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { relativePath } from "../../lib/workspace-root.ts";
import { decodeText } from "../../openapi/decode-text.ts";
import { describeDuplicates } from "../../openapi/describe-omissions.ts";
import type { ContractSide, FileNaming } from "../contract/contract-side.ts";
import { scannedContract } from "../contract/scanned-contract.ts";
import { type Description, readDescription } from "../scan/read-description.ts";
import { leaveOut, NO_RULES } from "../scan/severity-policy.ts";
import { LOCAL_SPEC_BYTES_MAX } from "../../openapi/read-source.ts";
import type { DiffSource } from "./find-source.ts";

/** One of the two descriptions, for each of the comparisons. */
export interface DiffSide {
  description: Description;
  contract: ContractSide;
}

type Settings = Omit<Parameters<typeof readDescription>[2], "spec" | "files" | "bytesMax"> & {
  /** The description as the user named it. */
  named: string;
  /** True if it is compared in the form in which the server stores it, as its changes have the server's fingerprints then. */
  asStored: boolean;
};

/** Reads one of the two descriptions, with the files that it refers to. @throws {CliError} */
export async function readContract(
  context: CliContext,
  reporter: Reporter,
  source: DiffSource,
  settings: Settings,
): Promise<DiffSide> {
  const { kind, spec, files } = source;
  const bytesMax = LOCAL_SPEC_BYTES_MAX;
  const read = await readDescription(context, reporter, { ...settings, spec, files, bytesMax });
  const { lint } = settings;
  const description =
    lint === undefined ? read : { ...read, findings: leaveOut(NO_RULES, lint, read.findings).findings };
  if (kind === "stdin" && settings.stdinName === undefined) refuseOtherFiles(description.source.value);
  const naming = namingOf(description.source.file, { source, settings, cwd: context.cwd });
  const { contract, notes } = settings.asStored
    ? { contract: await scannedContract({ reading: description, isPart: false, files, naming }), notes: [] }
    : await withFiles(description, { source, settings, naming, cwd: context.cwd });
  for (const note of [...description.notes, ...notes])
    reporter.omission(`${printable(settings.named, 200)}: ${note}`);
  return { description, contract };
}

/** Names the files of a description. @param entry the description itself */
function namingOf(
  entry: string,
  { source, settings, cwd }: { source: DiffSource; settings: Settings; cwd: string },
): FileNaming {
  const { kind, prefix } = source;
  const { named, stdinName } = settings;
  const ownName = kind === "disk" ? undefined : kind === "stdin" ? (stdinName ?? "standard input") : named;
  const hasFile = kind === "disk" || kind === "revision" || (kind === "stdin" && stdinName !== undefined);
  return {
    nameOf: (file) => (file === entry ? ownName : undefined) ?? `${prefix}${relativePath(cwd, file)}`,
    isOnDisk: (file) => file !== entry || hasFile,
  };
}

interface Read {
  source: DiffSource;
  settings: Settings;
  naming: FileNaming;
  cwd: string;
}

async function withFiles(
  description: Description,
  { source, settings, naming, cwd }: Read,
): Promise<{ contract: ContractSide; notes: string[] }> {
  const { file: entry, text } = description.source;
  const folder = nodePath.dirname(entry);
  const contract = await loadDescription({
    text,
    document: description.document,
    name: settings.named,
    readFile: async (file) => {
      const full = nodePath.resolve(folder, file);
      if (!settings.allowOutside && !(await source.files.isInside(full, folder))) return undefined;
      return readReferred(() => source.files.read(full, file), file);
    },
  });
  const onDisk = new Map<string, string>();
  // The description's own notes name the duplicate keys of the files that its endpoints come from.
  const others = contract.contractFiles
    .filter(({ name }) => name !== "" && !description.files.includes(nodePath.resolve(folder, name)))
    .map((file) => ({ ...file, name: relativePath(cwd, nodePath.resolve(folder, file.name)) }));
  return {
    contract: {
      contract,
      place: async (positions) => {
        locatePositions(
          positions.filter(({ line }) => line === undefined),
          contract,
        );
        for (const position of positions) {
          const file = position.file === "" ? entry : nodePath.resolve(folder, position.file);
          position.file = naming.nameOf(file);
          if (naming.isOnDisk(file)) onDisk.set(position.file, file);
        }
      },
      fileOf: (shown) => onDisk.get(shown),
    },
    notes: describeDuplicates(others),
  };
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
