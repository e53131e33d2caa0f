import path from "node:path";
import type { HttpMethod, NormalizedEndpoint, ScanSpec } from "@waymark/shared/scans/schema.ts";
import { CliError, usageError } from "../lib/cli-error.ts";
import { STDIN_NAME } from "../lib/collect-bytes.ts";
import { decodeText } from "./decode-text.ts";
import { describeOmissions } from "./describe-omissions.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { DuplicateKey } from "@waymark/openapi/parse/duplicate-keys.ts";
import type { ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { identifyOpenApi } from "./identify.ts";
import { listOperations, type Operation, type Operations } from "./list-operations.ts";
import { parseDocument } from "./parse-document.ts";
import { filesOnDisk, hashBytes, readSpecStream, type SpecFiles } from "./read-source.ts";
import { createReferenceResolver, type ResolveReference, type SourceFile } from "./reference-files.ts";
import { type Selection, selectOperations } from "./select-operations.ts";
import { describeShortened, fitInfo, nothingShortened, type Shortened, toEndpoint } from "./to-endpoint.ts";

/** The parts of a spec that a scan submits. */
export interface SpecReading {
  spec: ScanSpec;
  endpoints: NormalizedEndpoint[];
  /** True if the selection has an operation, or a path if there is no method. Without a selection, all of them. */
  isSelected: (path: string, method: HttpMethod | null) => boolean;
  /** The parsed document, for linting. */
  source: { file: string; text: string; value: unknown; duplicateKeys: readonly DuplicateKey[] };
  document: ParsedDocument;
  /** The bytes of the file itself. */
  bytes: Buffer;
  /** The file itself, and what its references lead to. */
  specFile: SourceFile;
  resolve: ResolveReference;
  /** The absolute paths of the files that endpoints come from. */
  files: string[];
  /** These files, parsed. */
  documents: ParsedDocument[];
  /** Parts of the description that the scan leaves out, one sentence each. */
  notes: string[];
  shortened: Shortened;
}

export interface ReadSpecOptions {
  /** A path, or `-` for standard input. Messages show it unchanged. */
  path: string;
  /** The path of the description that standard input provides. */
  stdinName?: string | undefined;
  /** The base of a relative path. */
  cwd?: string;
  openStdin: () => AsyncIterable<Buffer | string>;
  allowOutside?: boolean;
  /** The operations to read. Default: all. */
  selection?: Selection | undefined;
  /** The source of the files. Default: the disk. */
  files?: SpecFiles | undefined;
  /** The largest description; that of a scan, if not given. */
  bytesMax?: number | undefined;
}

/**
 * Reads an OpenAPI 3.x or Swagger 2.0 description and lists its endpoints. Only references that paths and operations
 * depend on are followed, and only to local files.
 * @throws {CliError} with the location of the fault
 */
export async function readSpec(options: ReadSpecOptions): Promise<SpecReading> {
  const fromStdin = options.path === STDIN_NAME;
  const { stdinName } = options;
  const name = fromStdin ? (stdinName ?? "standard input") : options.path;
  const { cwd = process.cwd() } = options;
  const specFile = path.resolve(cwd, fromStdin ? (stdinName ?? "standard-input") : options.path);
  const { bytesMax } = options;
  const files = options.files ?? filesOnDisk(bytesMax);
  const bytes = await (fromStdin
    ? readSpecStream(options.openStdin(), bytesMax)
    : files.read(specFile, name));
  const text = decodeText(bytes, name);
  const document = await parseDocument(text, name);
  const { root, specVersion } = await identifyOpenApi(document, name);

  const source = { file: specFile, name, document };
  const { resolve, sources } = createReferenceResolver({
    spec: source,
    cwd,
    specBytes: bytes.length,
    allowOutside: options.allowOutside ?? false,
    files,
    totalBytesMax: bytesMax === undefined ? undefined : 2 * bytesMax,
  });
  const list = { spec: source, pathsRequired: requiresPaths(specVersion, root) };
  const found = await explained(root, () => listOperations(resolve, list));
  const shortened = nothingShortened();
  const info = fitInfo(await describeInfo(document, root), shortened);
  const { selection } = options;
  const operations = selection === undefined ? found.operations : select(found.operations, selection);
  const endpoints = operations.map((operation) => toEndpoint(operation, shortened));
  const read = await sources();
  const omissions = await describeOmissions(found, { root, files: read });
  return {
    spec: { hash: hashBytes(bytes), format: "openapi", ...info },
    endpoints,
    isSelected: (template, method) =>
      selection === undefined ||
      operations.some((each) => each.path === template && (method === null || each.method === method)),
    source: { file: specFile, text, value: root, duplicateKeys: document.duplicateKeys },
    document,
    bytes,
    specFile: source,
    resolve,
    files: read.map(({ file }) => file),
    documents: read.map((each) => each.document),
    notes: [...omissions, ...[describeShortened(shortened) ?? []].flat()],
    shortened,
  };
}

/** @throws {CliError} for a selection without operations, which is most often a wrong pattern */
function select(operations: readonly Operation[], selection: Selection): Operation[] {
  const selected = selectOperations(operations, selection);
  if (selected.length === 0 && operations.length > 0) {
    throw usageError(
      `None of the ${operations.length} operations matches --include-path, --exclude-path and --tag. ` +
        "In a pattern * stands for text without a slash, and ** for any text.",
    );
  }
  return selected;
}

function requiresPaths(specVersion: string, root: JsonObject): boolean {
  const older = specVersion.startsWith("2") || specVersion.startsWith("3.0");
  return older || !["webhooks", "components"].some((field) => Object.hasOwn(root, field));
}

async function explained(root: JsonObject, list: () => Promise<Operations>): Promise<Operations> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // The validator takes 0.4 s for a large spec, so it runs only after an error.
    const { explainInvalid } = await import("./explain-invalid.ts");
    throw new CliError(error.exitCode, error.message, { cause: error, details: await explainInvalid(root) });
  }
}

async function describeInfo(
  document: ParsedDocument,
  root: JsonObject,
): Promise<{ version?: string; title?: string }> {
  const info = isObject(root["info"]) ? root["info"] : {};
  const described: { version?: string; title?: string } = {};
  for (const field of ["version", "title"] as const) {
    const value: unknown = info[field];
    if (typeof value === "string") described[field] = value;
    else if (typeof value === "number" || typeof value === "boolean") {
      described[field] = (await document.sourceText(info, field)) ?? String(value);
    }
  }
  return described;
}
