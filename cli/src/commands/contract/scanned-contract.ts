import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { locatePositions, textWithLines } from "@waymark/contract-diff/report/locate-verdicts.ts";
import type { Position } from "@waymark/contract-diff/verdict.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Bundle } from "../../openapi/bundle.ts";
import { decodeText } from "../../openapi/decode-text.ts";
import { bundleOf, isStoredAsIs } from "../../openapi/description-text.ts";
import type { SpecFiles } from "../../openapi/read-source.ts";
import type { SpecReading } from "../../openapi/read-spec.ts";
import type { ContractSide, FileNaming } from "./contract-side.ts";

export interface ScannedContract {
  reading: SpecReading;
  /** True if operations were selected. */
  isPart: boolean;
  /** The source of the files of the description. */
  files: SpecFiles;
  naming: FileNaming;
}

/**
 * Returns the contract of a scan in the form in which the server stores its description: one value with what was scanned. So the server
 * finds the same changes, with the same fingerprints. Their places are those in the files.
 *
 * @throws {CliError} if the description nests too deeply
 */
export async function scannedContract(scanned: ScannedContract): Promise<ContractSide> {
  const { reading, isPart, naming } = scanned;
  const { file: entry } = reading.source;
  const bundled = !isPart && isStoredAsIs(reading) ? undefined : await bundleOf(reading, { isPart });
  const document = bundled === undefined ? reading.document : valueOnly(bundled);
  const onDisk = new Map<string, string>();
  return {
    contract: await loadDescription({
      text: bundled === undefined ? ownText(scanned) : "",
      document,
      name: naming.nameOf(entry),
    }),
    place: async (positions) => {
      for (const position of positions) {
        const origin = bundled?.originOf(position.pointer) ?? { file: entry, pointer: position.pointer };
        Object.assign(position, origin);
      }
      await locate(positions, scanned);
      for (const position of positions) {
        const { file } = position;
        position.file = naming.nameOf(file);
        if (naming.isOnDisk(file)) onDisk.set(position.file, file);
      }
    },
    fileOf: (named) => onDisk.get(named),
  };
}

/** Returns the text of the description for its places. */
function ownText({ reading: { source }, naming }: ScannedContract): string {
  return naming.isOnDisk(source.file) ? source.text : textWithLines(source.text);
}

/** A document whose text is not known. */
function valueOnly({ value }: Bundle): SpecReading["document"] {
  return {
    value,
    format: "json",
    duplicateKeys: [],
    sourceText: async () => undefined,
    lineOf: async () => 1,
  };
}

/** Adds lines and columns. A file that can't be read any more has none. */
async function locate(positions: readonly Position[], scanned: ScannedContract): Promise<void> {
  const { reading, files } = scanned;
  const texts = new Map([[reading.source.file, ownText(scanned)]]);
  for (const { file } of positions) {
    if (texts.has(file)) continue;
    texts.set(file, "");
    try {
      texts.set(file, decodeText(await files.read(file, file), file));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
    }
  }
  locatePositions(positions, { textOf: (file) => texts.get(file) });
}
