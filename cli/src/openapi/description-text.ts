import { isUtf8 } from "node:buffer";
import { CanonicalError, canonicalText } from "@waymark/openapi/canonical/canonical-pieces.ts";
import { externalReferences } from "@waymark/openapi/references.ts";
import { findCredentials } from "@waymark/shared/lib/find-credentials.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { type Bundle, bundle } from "./bundle.ts";
import { DEPTH_MAX } from "./bundle-references.ts";
import { usageError } from "../lib/cli-error.ts";
import { formatLocation } from "./document.ts";
import { readSpec, type ReadSpecOptions, type SpecReading } from "./read-spec.ts";

/** The text of a description as it is stored on the server. */
export interface DescriptionText {
  bytes: Buffer;
  mediaType: "application/json" | "application/yaml";
}

/** A larger text is sent as JSON, which takes a tenth of the memory and the time to read. */
const YAML_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Reads the description behind a scan again, and returns one text with all that was scanned: the file itself, or JSON where that is not
 * enough, because the description has several files, a selection, or a form that only this command reads.
 *
 * @param scannedHash `spec.hash` of the scan
 * @throws {CliError} if the description has changed since, is too large, or has credentials
 */
export async function readDescriptionText(
  options: ReadSpecOptions,
  scannedHash: string,
): Promise<DescriptionText> {
  const reading = await readSpec(options);
  if (reading.spec.hash !== scannedHash) throw usageError("the file has changed since it was scanned");
  assertNoCredentials(reading);
  const { bytes } = reading;
  const isPart = options.selection !== undefined;
  if (!isPart && isStoredAsIs(reading)) {
    const isJson = reading.document.format === "json";
    if (isJson || bytes.length <= YAML_BYTES_MAX)
      return { bytes, mediaType: isJson ? "application/json" : "application/yaml" };
  }
  const { value } = await bundleOf(reading, { isPart });
  return { bytes: jsonOf(value), mediaType: "application/json" };
}

/** Returns what was scanned as one value. @throws {CliError} if it nests too deeply */
export function bundleOf(reading: SpecReading, { isPart }: { isPart: boolean }): Promise<Bundle> {
  const { specFile: spec, resolve, isSelected } = reading;
  return bundle({ spec, resolve, isSelected: isPart ? isSelected : undefined });
}

/** True if the file itself has all that was scanned of it, unless operations were selected. */
export function isStoredAsIs({ bytes, source }: SpecReading): boolean {
  return isUtf8(bytes) && source.duplicateKeys.length === 0 && externalReferences(source.value).size === 0;
}

function assertNoCredentials({ source }: SpecReading): void {
  const found = findCredentials(source.value, source.text);
  if (found === undefined) return;
  const place = found.path.length === 0 ? "the file" : formatLocation(found.path);
  throw usageError(`${place} ${found.message}`);
}

function jsonOf(value: unknown): Buffer {
  const { descriptionBytesMax } = SCAN_LIMITS;
  try {
    const bytes = Buffer.from(canonicalText(value, { chars: descriptionBytesMax, depth: DEPTH_MAX }));
    const found = findCredentials(value);
    if (found !== undefined) throw usageError(`${formatLocation(found.path)} ${found.message}`);
    if (bytes.length <= descriptionBytesMax) return bytes;
  } catch (error) {
    if (error instanceof CanonicalError) throw usageError(`a value of it ${error.message}`, { cause: error });
    throw error;
  }
  throw usageError(`it has more than ${descriptionBytesMax} bytes with all its files`);
}
