import path from "node:path";
import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import type { NormalizedEndpoint, ScanSpec } from "@waymark/shared/scans/schema.ts";
import { CliError } from "../lib/cli-error.ts";
import { STDIN_NAME } from "../lib/collect-bytes.ts";
import { plural, printable } from "../lib/text.ts";
import { decodeText } from "./decode-text.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { ParsedDocument } from "./document.ts";
import { identifyOpenApi } from "./identify.ts";
import { listOperations, type Operation, type Operations } from "./list-operations.ts";
import { parseDocument } from "./parse-document.ts";
import { hashBytes, readSpecFile, readSpecStream } from "./read-source.ts";
import { createReferenceResolver } from "./reference-files.ts";

/** The parts of a spec that a scan submits. */
export interface SpecReading {
  spec: ScanSpec;
  endpoints: NormalizedEndpoint[];
  /** The parsed document, for linting. */
  source: { file: string; text: string; value: unknown };
  /** Notes for the user about how the spec was read, one sentence each. */
  notes: string[];
}

export interface ReadSpecOptions {
  /** A path, or `-` for standard input. Messages show it unchanged. */
  path: string;
  /** The base of a relative path. */
  cwd?: string;
  stdin: AsyncIterable<Buffer | string>;
  allowOutside?: boolean;
}

/**
 * Reads an OpenAPI 3.x or Swagger 2.0 description and lists its endpoints. Only references that paths and operations
 * depend on are followed, and only to local files.
 * @throws {CliError} with the location of the fault
 */
export async function readSpec(options: ReadSpecOptions): Promise<SpecReading> {
  const fromStdin = options.path === STDIN_NAME;
  const name = fromStdin ? "standard input" : options.path;
  const specFile = path.resolve(options.cwd ?? process.cwd(), fromStdin ? "standard-input" : options.path);
  const bytes = await (fromStdin ? readSpecStream(options.stdin) : readSpecFile(specFile, name));
  const text = decodeText(bytes, name);
  const document = await parseDocument(text, name);
  const { root, specVersion } = identifyOpenApi(document, name);

  const resolve = createReferenceResolver({
    specFile,
    root,
    specBytes: bytes.length,
    allowOutside: options.allowOutside ?? false,
  });
  const list = { root, specFile, ...featuresOf(specVersion, root) };
  const found = await explained(root, () => listOperations(resolve, list));
  return {
    spec: { hash: hashBytes(bytes), format: "openapi", ...describeInfo(document, root) },
    endpoints: found.operations.map(toEndpoint),
    source: { file: specFile, text, value: root },
    notes: notesOn(found),
  };
}

function featuresOf(specVersion: string, root: JsonObject) {
  const older = specVersion.startsWith("2") || specVersion.startsWith("3.0");
  return {
    pathsRequired: older || !["webhooks", "components"].some((field) => Object.hasOwn(root, field)),
    hasExtraMethods: specVersion.startsWith("3.2"),
  };
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

function describeInfo(document: ParsedDocument, root: JsonObject): { version?: string; title?: string } {
  const info = isObject(root["info"]) ? root["info"] : {};
  const described: { version?: string; title?: string } = {};
  for (const field of ["version", "title"] as const) {
    const value = info[field];
    if (typeof value === "string") described[field] = value;
    else if (typeof value === "number" || typeof value === "boolean") {
      described[field] = document.sourceText(["info", field]) ?? String(value);
    }
  }
  return described;
}

function toEndpoint({ method, path: template, value }: Operation): NormalizedEndpoint {
  const { operationId, tags, summary } = value;
  return {
    method,
    path: template,
    operationId: typeof operationId === "string" ? operationId : null,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    summary: typeof summary === "string" ? summary : null,
  };
}

function notesOn({ unsupported }: Operations): string[] {
  if (unsupported.length === 0) return [];
  const named = unsupported.slice(0, 5).map((name) => printable(name, 100));
  const more = unsupported.length > named.length ? `, and ${unsupported.length - named.length} more` : "";
  return [
    `${plural(unsupported.length, "operation")} left out, because scans support only the methods ` +
      `${HTTP_METHODS.join(", ")} of a path item: ${named.join(", ")}${more}.`,
  ];
}
