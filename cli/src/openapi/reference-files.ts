import path from "node:path";
import { fileURLToPath } from "node:url";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import {
  findBySelf,
  indexBySelf,
  isRemote,
  referencePath,
  splitReference,
} from "@waymark/openapi/references.ts";
import { usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { relativePath } from "../lib/workspace-root.ts";
import { decodeText } from "./decode-text.ts";
import { parseDocument } from "./parse-document.ts";
import type { SpecFiles } from "./read-source.ts";

/**
 * The total size of a spec's files, so that a thousand references to large files end as an error instead of exhausting the
 * memory.
 */
const TOTAL_BYTES_MAX = 5 * SCAN_LIMITS.specFileBytesMax;

/** A file that a scan has read. */
export interface SourceFile {
  /** Absolute: the base of its references. */
  file: string;
  /** Its name in messages. */
  name: string;
  document: ParsedDocument;
}

/** A value with its place. */
export interface Located {
  value: unknown;
  source: SourceFile;
  path: string[];
}

/**
 * Resolves a `$ref` as seen from the file `from`, which only `readSpec` makes.
 * @throws {CliError} if it leaves the spec's folder, needs the network, or leads nowhere
 */
export type ResolveReference = (reference: string, from: SourceFile, location: string) => Promise<Located>;

export interface ReferenceOptions {
  /** The spec file; for a spec from standard input, its path is a name in the working directory. */
  spec: SourceFile;
  /** The folder that names in messages are relative to. */
  cwd: string;
  /** Bytes of the spec file itself, the first of `TOTAL_BYTES_MAX`. */
  specBytes: number;
  /** True if files outside the spec's folder may be read. */
  allowOutside: boolean;
  files: SpecFiles;
  /** The total bytes of the files; those of five specs, if not given. */
  totalBytesMax?: number | undefined;
}

export function createReferenceResolver(options: ReferenceOptions): {
  resolve: ResolveReference;
  /** The files that were read so far. */
  sources: () => Promise<SourceFile[]>;
} {
  const { spec } = options;
  const known = new Map([[spec.file, Promise.resolve(spec)]]);
  const values = new Map([[spec.file, spec.document.value]]);
  const folder = path.dirname(spec.file);
  const totalBytesMax = options.totalBytesMax ?? TOTAL_BYTES_MAX;
  let bytesLeft = totalBytesMax - options.specBytes;

  async function load(file: string, location: string): Promise<SourceFile> {
    if (!options.allowOutside && !(await options.files.isInside(file, folder))) {
      throw usageError(
        `${location}: the reference leads to ${file}, outside the spec's folder ${folder}. To read it anyway, pass ` +
          `--allow-outside.`,
      );
    }
    const name = relativePath(options.cwd, file);
    const bytes = await options.files.read(file, `${name}, to which ${location} refers`);
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) {
      throw usageError(`${location}: the files of this spec have more than ${totalBytesMax} bytes in total.`);
    }
    const document = await parseDocument(decodeText(bytes, name), name);
    values.set(file, document.value);
    return { file, name, document };
  }

  const resolve: ResolveReference = async (reference, from, location) => {
    const { file, pointer } = locateReference(reference, { from, location, values });
    const loading = known.get(file) ?? load(file, location);
    known.set(file, loading);
    const source = await loading;
    return { ...follow(source.document.value, pointer, { reference, location }), source };
  };
  return { resolve, sources: () => Promise.all(known.values()) };
}

interface ReferencePlace {
  from: SourceFile;
  location: string;
  /** The values of the files that were read so far. */
  values: ReadonlyMap<string, unknown>;
}

function locateReference(
  reference: string,
  { from, location, values }: ReferencePlace,
): { file: string; pointer: string } {
  const shown = printable(reference, 200);
  const { target, pointer } = splitReference(reference);
  const named = target === "" ? from.file : findBySelf(indexBySelf(values), from.document.value, target);
  if (named !== undefined) return { file: named, pointer };
  if (/^file:/i.test(target)) {
    try {
      return { file: fileURLToPath(new URL(target)), pointer };
    } catch (error) {
      throw usageError(`${location}: "${shown}" is not a file URL of this machine.`, { cause: error });
    }
  }
  if (isRemote(target)) {
    throw usageError(
      `${location}: "${shown}" is a remote reference. A scan never reads over the network: bundle the spec into ` +
        `local files first.`,
    );
  }
  return { file: path.resolve(path.dirname(from.file), referencePath(target)), pointer };
}

function follow(
  document: unknown,
  pointer: string,
  context: { reference: string; location: string },
): { value: unknown; path: string[] } {
  const tokens = decodePointer(pointer);
  const value = tokens === undefined ? undefined : resolvePointer(document, tokens);
  if (tokens === undefined || value === undefined) {
    throw usageError(`${context.location}: "${printable(context.reference, 200)}" leads nowhere.`);
  }
  return { value, path: tokens };
}
