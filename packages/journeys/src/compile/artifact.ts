import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "./canonical.ts";
import type { Artifact, Provenance, SourceMap } from "./artifact-model.ts";
import type { Program } from "../program/program.ts";

/** The SHA-256 of a text in UTF-8, in hexadecimal. The default is written in JavaScript; a caller can pass the platform's. */
export type Sha256 = (data: string | Uint8Array) => string;

export const pureSha256: Sha256 = (data) =>
  bytesToHex(sha256(typeof data === "string" ? utf8ToBytes(data) : data));

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

/** `sha256:<hex>` over the bytes of an artifact's file. Artifacts of one program differ in it where their documents differ. */
export function fileDigest(text: string, hash: Sha256 = pureSha256): string {
  return `sha256:${hash(text)}`;
}

export function orderDigest(program: Program, hash: Sha256): string {
  return `sha256:${hash(JSON.stringify(program))}`;
}

export function digest(value: unknown, hash: Sha256): string {
  return `sha256:${hash(canonicalJson(value))}`;
}
