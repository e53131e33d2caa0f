import { isObject } from "@waymark/openapi/json.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "./canonical.ts";
import type { Program } from "./program.ts";

/** Where a program came from. It changes no run, so it is not part of the artifact's id. */
export interface Provenance {
  compiler: { name: string; version: string };
  journey: { id: string; version: string; file: string; sha256?: string };
  /** In the order of application; `touched` are pointers into the merged document. */
  overlays: { id: string; file?: string; sha256?: string; touched: string[] }[];
  sources: { name: string; url: string; sha256: string }[];
}

/** The place of every node of a program, by its JSON pointer: `[file, line, column, origin]`, two of them as indexes. */
export interface SourceMap {
  files: string[];
  /** `base` and the ids of overlays. */
  origins: string[];
  nodes: Record<string, [file: number, line: number, column: number, origin: number]>;
}

/** The build artifact: one JSON file that runs without any other. */
export interface Artifact {
  artifact: "journey-artifact/1";
  /** `sha256:<hex>` over the canonical JSON of `program` alone. */
  id: string;
  /** `order` is over the program as it is written, its members in the author's order. */
  digests: { order: string; provenance: string; map: string };
  program: Program;
  provenance: Provenance;
  map: SourceMap;
}

/** A SHA-256 in hexadecimal. The built-in one is pure; a caller may give its platform's. */
export type Sha256 = (text: string) => string;

export const pureSha256: Sha256 = (text) => bytesToHex(sha256(utf8ToBytes(text)));

/** Makes the artifact of a program. The same program gives the same id everywhere. */
export function sealArtifact(
  content: { program: Program; provenance: Provenance; map: SourceMap },
  hash: Sha256 = pureSha256,
): Artifact {
  return {
    artifact: "journey-artifact/1",
    id: digest(content.program, hash),
    digests: {
      order: orderDigest(content.program, hash),
      provenance: digest(content.provenance, hash),
      map: digest(content.map, hash),
    },
    ...content,
  };
}

/**
 * The bytes of an artifact's file: canonical JSON, but for the program, whose members keep the author's order. It is the order
 * in which fields and parts of requests are sent.
 */
export function writeArtifact({ program, ...rest }: Artifact): string {
  const head = canonicalJson(rest).slice(0, -1);
  return `${head},"program":${JSON.stringify(program)}}\n`;
}

/** An artifact that is not what it says it is; the message says what to do. */
export class ArtifactError extends Error {}

/**
 * Reads an artifact's file. Every byte is under a digest or fixed by the canonical form, so a file that was changed in
 * any place is refused.
 *
 * @throws ArtifactError for anything but the bytes that `writeArtifact` gives
 */
export function openArtifact(text: string, hash: Sha256 = pureSha256): Artifact {
  const value = parseJson(text);
  if (!isArtifact(value))
    throw new ArtifactError("This is no journey artifact: build it with `waymark journey build`.");
  verifyArtifact(value, hash);
  if (writeArtifact(value) !== text) {
    throw new ArtifactError(
      "The artifact was changed after it was built (its form is not canonical): build it again.",
    );
  }
  return value;
}

/** Checks the digests of an artifact. @throws ArtifactError */
export function verifyArtifact(artifact: Artifact, hash: Sha256 = pureSha256): void {
  for (const [part, claimed] of [
    ["program", artifact.id],
    ["provenance", artifact.digests.provenance],
    ["map", artifact.digests.map],
  ] as const) {
    if (digest(artifact[part], hash) !== claimed) throw changed(part);
  }
  if (orderDigest(artifact.program, hash) !== artifact.digests.order) throw changed("program's order");
}

function changed(part: string): ArtifactError {
  return new ArtifactError(
    `The artifact was changed after it was built (its ${part} does not match): build it again.`,
  );
}

function orderDigest(program: Program, hash: Sha256): string {
  return `sha256:${hash(JSON.stringify(program))}`;
}

function digest(value: unknown, hash: Sha256): string {
  return `sha256:${hash(canonicalJson(value))}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The outer form only: what is inside is vouched for by the digests. */
function isArtifact(value: unknown): value is Artifact {
  if (!isObject(value) || value["artifact"] !== "journey-artifact/1") return false;
  const { digests, program } = value;
  return (
    typeof value["id"] === "string" &&
    isObject(digests) &&
    typeof digests["order"] === "string" &&
    typeof digests["provenance"] === "string" &&
    typeof digests["map"] === "string" &&
    isObject(program) &&
    program["format"] === "journey-program/1" &&
    isObject(value["provenance"]) &&
    isObject(value["map"]) &&
    Object.keys(value).length === 6
  );
}
