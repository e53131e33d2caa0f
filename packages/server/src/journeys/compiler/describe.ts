import { createHash } from "node:crypto";
import { CanonicalError, canonicalPieces } from "@waymark/openapi/canonical/canonical-pieces.ts";
import { listOperationNames, OperationError } from "@waymark/openapi/canonical/operation-names.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { DocumentError, type ParsedDocument } from "@waymark/openapi/parse/parsed-document.ts";
import { decodePointer, encodePointer } from "@waymark/openapi/pointer.ts";
import { versionOf } from "@waymark/openapi/references.ts";
import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import { apiKeyIn, findCredentials } from "@waymark/shared/lib/find-credentials.ts";
import { storable } from "../../lib/storable.ts";
import { cutChunks, linesOf, type TextChunk, toTextChunks } from "../../lib/text-chunks.ts";
import type { DescribedText, DescriptionFault, Work } from "./messages.ts";
import type { Session } from "./session.ts";

const CANONICAL_DEPTH_MAX = 500;
const MESSAGE_MAX = 500;
const POINTER_MAX = 300;
/** The name of the text in faults of its syntax. */
const NAME = "description";

/** Reads the description behind a scan: its operations, and its text and canonical text as chunks; or everything that is wrong. */
export async function describe(
  { access }: Session,
  { path, bytesMax, operationsMax }: Work["describe"]["document"],
): Promise<DescribedText> {
  const bytes = Buffer.from((await access.read(path, bytesMax)) ?? Buffer.of());
  let document: ParsedDocument | undefined;
  try {
    const text = decoded(bytes);
    document = await parse(text);
    await assertSound(document, text);
    const content = new Map<string, TextChunk>();
    const canonical = canonicalOf(document.value, { bytesMax, content });
    const operations = listOperationNames(document.value, operationsMax);
    if (operations.length > operationsMax)
      throw new FaultError("/paths", `has more than ${operationsMax} operations`);
    const hash = hashOf(bytes);
    const isCanonical = hash === canonical.hash;
    const chunks = isCanonical ? canonical.chunks : toTextChunks(cutChunks(linesOf(bytes)), content);
    const { format } = document;
    const size = bytes.length;
    return { ok: true, hash, size, format, chunks, canonical, operations, content: [...content.values()] };
  } catch (error) {
    return { ok: false, faults: await faultsOf(error, document) };
  }
}

/** Faults of the text. */
class FaultError extends Error {
  readonly faults: readonly DescriptionFault[];

  constructor(path: string, message: string, more: readonly DescriptionFault[] = []) {
    super(message);
    this.faults = [{ path, message }, ...more];
  }
}

function decoded(bytes: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new FaultError("", "must be a text in UTF-8");
  }
  // Before anything else: a message about its syntax may have a part of it.
  const credential = apiKeyIn(text);
  if (credential !== undefined) throw new FaultError("", credential);
  return text;
}

async function parse(text: string): Promise<ParsedDocument> {
  try {
    return await parseDocument(text, NAME);
  } catch (error) {
    if (error instanceof DocumentError)
      throw new FaultError("", `can't be read: ${error.message.replace(/\.$/, "")}`);
    throw error;
  }
}

async function assertSound(document: ParsedDocument, text: string): Promise<void> {
  const { value, duplicateKeys } = document;
  if (versionOf(value) === undefined)
    throw new FaultError("", "must be a description of OpenAPI 3 or Swagger 2.0");
  const [first, ...more] = duplicateKeys.slice(0, ERROR_DETAILS_MAX).map(({ path, lines }) => ({
    path: encodePointer(path),
    message: `occurs more than once, in the lines ${lines.join(", ")}`,
  }));
  if (first !== undefined) throw new FaultError(first.path, first.message, more);
  const credential = findCredentials(value, text);
  if (credential !== undefined) {
    const { path, message } = credential;
    const place = path.length === 0 ? "" : ` (line ${await document.lineOf(path.map(String))})`;
    throw new FaultError(encodePointer(path), `${message}${place}`);
  }
}

function canonicalOf(
  value: unknown,
  { bytesMax, content }: { bytesMax: number; content: Map<string, TextChunk> },
): { hash: string; size: number; chunks: string[] } {
  const hash = createHash("sha256");
  let size = 0;
  function* pieces() {
    for (const text of canonicalPieces(value, { chars: bytesMax, depth: CANONICAL_DEPTH_MAX })) {
      const piece = Buffer.from(text);
      size += piece.length;
      if (size > bytesMax) throw new FaultError("", `has more than ${bytesMax} bytes as JSON`);
      hash.update(piece);
      yield piece;
    }
  }
  const chunks = toTextChunks(cutChunks(pieces()), content);
  return { hash: hash.digest("hex"), size, chunks };
}

async function faultsOf(error: unknown, document: ParsedDocument | undefined): Promise<DescriptionFault[]> {
  if (error instanceof FaultError) return error.faults.map(shortened);
  if (!(error instanceof CanonicalError) && !(error instanceof OperationError)) throw error;
  const { pointer, message } = error;
  const line = await document?.lineOf(decodePointer(pointer) ?? []);
  return [shortened({ path: pointer, message: `${message} (line ${line ?? 1})` })];
}

function shortened({ path, message }: DescriptionFault): DescriptionFault {
  return { path: storable(path, POINTER_MAX), message: storable(message, MESSAGE_MAX) };
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
