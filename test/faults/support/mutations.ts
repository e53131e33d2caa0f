import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import * as fc from "fast-check";

/** A request: anything from a valid scan to bytes that are not text. */
export interface FuzzedRequest {
  body: string | Buffer;
  headers: Record<string, string>;
}

const awkwardText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom(
    "",
    "\0",
    "\ud800",
    "\udfff\ud800",
    "__proto__",
    "a".repeat(1001),
    "😀".repeat(300),
    "\u2028",
    "null",
  ),
);
const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE");
const validText = (maxLength: number) => fc.string({ unit: "grapheme", maxLength: Math.min(maxLength, 12) });

/** A valid scan. */
const validPayload: fc.Arbitrary<ScanIngestionPayload> = fc.record({
  service: fc.record({ name: fc.constantFrom("fuzz a", "fuzz b", "é😀") }),
  spec: fc.record(
    {
      hash: fc.string({ unit: fc.constantFrom("0", "9", "a", "f", "Z", "é"), minLength: 64, maxLength: 64 }),
      format: fc.constant("openapi" as const),
      version: validText(80),
      title: validText(200),
    },
    { requiredKeys: ["hash", "format"] },
  ),
  endpoints: fc.array(
    fc.record({
      method,
      path: validText(1000),
      operationId: fc.option(validText(200)),
      tags: fc.array(validText(40), { maxLength: 3 }),
      summary: fc.option(validText(300)),
    }),
    { maxLength: 4 },
  ),
  findings: fc.array(
    fc.record({
      code: validText(120),
      severity: fc.constantFrom("info", "low", "medium", "high", "critical"),
      message: validText(500),
      method: fc.option(method),
      path: fc.option(validText(1000)),
    }),
    { maxLength: 3 },
  ),
});

const junk: fc.Arbitrary<unknown> = fc.oneof(
  awkwardText,
  fc.constantFrom(null, true, 0, -0, -1, 1e308, 2 ** 53, {}, [], [[]], { __proto__: null, a: 1 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(Array.from({ length: 2001 }, () => null)),
);

type Step = { at: number; kind: "replace" | "remove" | "add" | "repeat"; value: unknown; key: string };
const step: fc.Arbitrary<Step> = fc.record({
  at: fc.nat({ max: 10_000 }),
  kind: fc.constantFrom("replace", "remove", "add", "repeat"),
  value: junk,
  key: fc.constantFrom("organizationId", "constructor", "toString", "x", "method", "0", "size"),
});

/** Every object and array of a document, with its members. */
function* places(node: unknown): Generator<{ holder: Record<string, unknown>; key: string }> {
  if (typeof node !== "object" || node === null) return;
  const holder = node as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    yield { holder, key };
    yield* places(holder[key]);
  }
}

function mutate(document: unknown, { at, kind, value: shared, key }: Step): void {
  // Copied, because the generator returns the same value again, and a change of one document must not affect another.
  const value: unknown = structuredClone(shared);
  const all = [...places(document)];
  const place = all[at % Math.max(all.length, 1)];
  if (place === undefined) return;
  const { holder } = place;
  if (kind === "replace") holder[place.key] = value;
  if (kind === "remove") delete holder[place.key];
  if (kind === "add")
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  if (kind === "repeat" && Array.isArray(holder[place.key])) {
    holder[place.key] = Array.from({ length: 600 }, () => (holder[place.key] as unknown[])[0]);
  }
}

const mutatedText = fc.tuple(validPayload, fc.array(step, { maxLength: 3 })).map(([payload, steps]) => {
  const document: unknown = structuredClone(payload);
  for (const one of steps) mutate(document, one);
  return JSON.stringify(document);
});

/** The text cut off, doubled, or with changed bytes. */
const damagedBytes = fc
  .tuple(
    mutatedText,
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([text, changes, keep]) => {
    const bytes = Buffer.from(text, "utf8");
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
    return bytes.subarray(0, Math.ceil(bytes.length * keep));
  });

const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const headers: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    "idempotency-key": fc.oneof(headerValue, fc.constantFrom("k1", "k2", "k".repeat(256))),
    "scanned-at": fc.oneof(
      headerValue,
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.constantFrom(
        "0000-01-01T00:00:00Z",
        "0000-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "2026-02-29T00:00:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00.123456789Z",
      ),
    ),
    "waymark-promote": fc.oneof(headerValue, fc.constantFrom("true", "false")),
    "content-encoding": fc.constantFrom("gzip", "identity", "br", "GZIP"),
    "content-type": fc.oneof(
      fc.constantFrom(
        "application/json",
        "application/json; charset=utf-8",
        "text/plain",
        "application/JSON;",
      ),
      headerValue,
    ),
    accept: headerValue,
    host: fc.constantFrom("waymark", "[::1", "a b", "%00"),
  },
  { requiredKeys: [] },
);

/** Three of four without odd headers, so that the bodies are read. */
export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc.record({
  body: fc.oneof({ weight: 4, arbitrary: mutatedText }, { weight: 1, arbitrary: damagedBytes }),
  headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
});
