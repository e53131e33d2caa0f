import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { NotCompared } from "@waymark/contract-diff/report/not-compared.ts";
import type { Position, Verdict as ContractVerdict } from "@waymark/contract-diff/verdict.ts";
import { isObject, type JsonValue } from "@waymark/openapi/json.ts";
import {
  type Comparison,
  Verdict,
  VERDICT_OPERATIONS_MAX,
  type VerdictPosition,
} from "@waymark/shared/scans/comparisons/schema.ts";
import { z } from "zod";
import { storable } from "./storable.ts";

/** A page reads whole parts. */
export const VERDICTS_PER_PART = 50;
/** More than a part can have: each text of a verdict is limited. */
const PART_BYTES_MAX = 4 * 1024 * 1024;
const TEXT_MAX = 2_000;
const PATH_MAX = 1_000;
/** A larger verdict is shortened, so that a part has at most 4 MiB. */
const VERDICT_CHARS_MAX = 24_000;
const SHORT = { text: 200, operations: 3 };
const WITNESS_CHARS_MAX = 4_000;

/** A verdict as it is stored: approvals come and go. */
export const StoredVerdict = Verdict.omit({ approval: true });
export type StoredVerdict = z.infer<typeof StoredVerdict>;

/** The verdicts on the changes between two descriptions, as they are stored. */
export interface ComparedTexts {
  counts: { breaking: number; maybe: number; safe: number };
  notCompared: Comparison["notCompared"];
  verdictCount: number;
  /** Compressed. */
  verdictParts: Uint8Array[];
  /** Those of the first verdicts, the most severe first. */
  fingerprints: string[];
}

/** Returns a verdict with texts that can be stored, each of a limited size. */
export function toStoredVerdict(verdict: ContractVerdict): StoredVerdict {
  const stored = storedWith(verdict, {
    text: TEXT_MAX,
    path: PATH_MAX,
    operations: VERDICT_OPERATIONS_MAX,
  });
  if (JSON.stringify(stored).length <= VERDICT_CHARS_MAX) return stored;
  return storedWith({ ...verdict, witness: undefined }, { ...SHORT, path: SHORT.text });
}

function storedWith(
  verdict: ContractVerdict,
  max: { text: number; path: number; operations: number },
): StoredVerdict {
  const textOf = (text: string) => shortened(text, max.text);
  const orNull = (text: string | undefined) => (text === undefined ? null : textOf(text));
  const placeOf = (place: Position | undefined) => (place === undefined ? null : positionOf(place, max.text));
  const { id, level, direction, fingerprint, operations, witness } = verdict;
  return {
    id: textOf(id),
    level,
    direction,
    message: textOf(verdict.message),
    at: textOf(verdict.at),
    operations: operations.slice(0, max.operations).map(({ method, path, kind }) => {
      return { method: shortened(method, max.path), path: shortened(path, max.path), kind };
    }),
    operationCount: operations.length,
    before: orNull(verdict.before),
    after: orNull(verdict.after),
    ...(witness !== undefined && isSmall(witness) && { witness: storableValue(witness) }),
    reason: orNull(verdict.reason),
    base: placeOf(verdict.base),
    head: placeOf(verdict.head),
    fingerprint,
  };
}

/** Returns parts that were not compared, as they are stored. */
export function toStoredPart({ message, place }: NotCompared): Comparison["notCompared"][number] {
  return {
    message: shortened(message, TEXT_MAX),
    place: place === undefined ? null : positionOf(place, TEXT_MAX),
  };
}

function positionOf({ file, pointer, line, column }: Position, max: number): VerdictPosition {
  return {
    file: shortened(file, max),
    pointer: shortened(pointer, max),
    line: line ?? null,
    column: column ?? null,
  };
}

function shortened(text: string, max: number): string {
  return text.length > max ? `${storable(text, max - 1)}…` : storable(text, max);
}

function isSmall(witness: JsonValue): boolean {
  return JSON.stringify(witness).length <= WITNESS_CHARS_MAX;
}

/** Returns a value whose texts are well-formed. */
function storableValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return storable(value, WITNESS_CHARS_MAX);
  if (Array.isArray(value)) return value.map(storableValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [storable(name, WITNESS_CHARS_MAX), storableValue(each)]),
  );
}

/** Returns verdicts as compressed parts. */
export function packVerdicts(verdicts: readonly StoredVerdict[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < verdicts.length; from += VERDICTS_PER_PART) {
    parts.push(zstdCompressSync(JSON.stringify(verdicts.slice(from, from + VERDICTS_PER_PART))));
  }
  return parts;
}

/** Returns verdicts of compressed parts: up to `limit` from a place on. Reads only the parts that have them. */
export function unpackVerdicts(
  parts: readonly Uint8Array[],
  { offset, limit }: { offset: number; limit: number },
): StoredVerdict[] {
  const first = Math.floor(offset / VERDICTS_PER_PART);
  const end = Math.ceil((offset + limit) / VERDICTS_PER_PART);
  const from = offset - first * VERDICTS_PER_PART;
  return parts
    .slice(first, end)
    .flatMap(verdictsOfPart)
    .slice(from, from + limit);
}

/** Returns the verdicts of one compressed part. */
export function verdictsOfPart(bytes: Uint8Array): StoredVerdict[] {
  const text = zstdDecompressSync(bytes, { maxOutputLength: PART_BYTES_MAX }).toString("utf8");
  return z.array(StoredVerdict).parse(JSON.parse(text));
}
