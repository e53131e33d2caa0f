import { AppError } from "@waymark/shared/errors/app-error.ts";
import { canonicalJson } from "@waymark/server/scans/content/canonical-scan.ts";
import type { ContentId } from "@waymark/server/scans/content/content-id.ts";
import { decompressChunks, unpackChunks } from "@waymark/server/scans/content/packed-chunks.ts";
import { parseScanPayload } from "@waymark/shared/scans/parse-payload.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryScan } from "@waymark/test-support/scans/arbitrary-scan.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { parseJson } from "../lib/json-body.ts";
import { readScan, type ScanInput, sendChunks } from "./read-scan.ts";

type Stored = Map<ContentId, readonly unknown[]>;

/** The stored data of a scan after `ingestScan`; undefined if it is refused. */
async function accept(body: Buffer, stored: Stored): Promise<unknown> {
  return orRefused(async () => {
    let input = readScan(body);
    for (let attempt = 0; attempt < 3; attempt++) {
      const missing = idsOf(input).filter((id) => !stored.has(id));
      if (missing.length === 0) break;
      input = await sendChunks(input, new Set(missing));
      for (const { id, items } of unpackedChunks(input)) stored.set(id, items);
    }
    const { description, content } = input.scan;
    const itemsOf = (ids: readonly ContentId[]) => ids.flatMap((id) => stored.get(id) ?? ["missing"]);
    const lists = { endpoints: itemsOf(content.endpointChunks), findings: itemsOf(content.findingChunks) };
    expect(content).toMatchObject({
      endpointCount: lists.endpoints.length,
      findingCount: lists.findings.length,
    });
    return { ...description, ...lists };
  });
}

/** The expected result, by the contract. */
function expected(body: Buffer): Promise<unknown> {
  return orRefused(() => {
    const parsed = parseScanPayload(parseJson(body));
    return parsed.ok ? parsed.payload : undefined;
  });
}

async function orRefused(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function idsOf({ scan: { content } }: ScanInput): ContentId[] {
  return [...content.endpointChunks, ...content.findingChunks];
}

function unpackedChunks({ sent }: ScanInput) {
  if (sent.chunks.size === 0) return [];
  const { endpoints, findings } = unpackChunks(decompressChunks(sent.items));
  return [...endpoints, ...findings];
}

/** The results of a body if these scans are stored, and if nothing is: `given` should equal `wanted`. */
async function outcomes(json: string | Buffer, storedScans: readonly Buffer[]) {
  const body = Buffer.from(json);
  const stored: Stored = new Map();
  for (const scan of storedScans) await accept(scan, stored);
  const wanted = await expected(body);
  return { given: [await accept(body, stored), await accept(body, new Map())], wanted: [wanted, wanted] };
}

const scan = scanPayload({ endpoints: 5, findings: 4 });
const canonical = canonicalJson(scan);
const E = JSON.stringify(scan.endpoints);
const F = JSON.stringify(scan.findings);
const SERVICE = `"service":${JSON.stringify(scan.service)}`;
const SPEC = `"spec":${JSON.stringify(scan.spec)}`;
const one = JSON.stringify(scan.endpoints[1]);
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("a scan is read according to the contract, whether it is stored or not", () => {
  it.each([
    ["lists in the other order", `{"findings":${F},"endpoints":${E},${SPEC},${SERVICE}}`],
    ["a list twice, the first empty", `{${SERVICE},${SPEC},"endpoints":[],"endpoints":${E},"findings":${F}}`],
    ["a list twice, the last empty", `{${SERVICE},${SPEC},"endpoints":${E},"endpoints":[],"findings":${F}}`],
    ["a list again, escaped", `{${SERVICE},${SPEC},"endpoints":${E},"findings":${F},"\\u0065ndpoints":[]}`],
    ["a list before, escaped", `{"findin\\u0067s":${F},${SERVICE},${SPEC},"endpoints":${E},"findings":[]}`],
    ["a list again, as null", `{${SERVICE},${SPEC},"endpoints":${E},"findings":${F},"\\u0065ndpoints":null}`],
    [
      "a list in a service that is there twice",
      `{"service":{"endpoints":${E}},${SERVICE},${SPEC},"\\u0065ndpoints":[],"findings":${F}}`,
    ],
    [
      "a list in a name that is there twice",
      `{"service":{"name":{"findings":${F}},"name":"a"},${SPEC},"endpoints":${E},"finding\\u0073":[]}`,
    ],
    ["a list in the spec", `{${SERVICE},"spec":{"endpoints":${E}},"findings":${F}}`],
    ["a name that ends like a list's", `{${SERVICE},${SPEC},"x\\"endpoints":${E},"findings":${F}}`],
    [
      "a name that ends like a list's, and the list",
      `{${SERVICE},${SPEC},"\\"endpoints":${E},"findings":${F},"endpoints":[]}`,
    ],
    ["a name twice", `{"service":{"name":"a","name":"b"},${SPEC},"endpoints":${E},"findings":${F}}`],
    ["__proto__ beside the lists", `{${SERVICE},${SPEC},"endpoints":${E},"findings":${F},"__proto__":[]}`],
    ["__proto__ in an item", canonical.toString().replace(`{"method"`, `{"__proto__":1,"method"`)],
    ["__proto__ behind an item", canonical.toString().replace(`"GET"`, `"GET","__proto__":{}`)],
    ["a method twice", canonical.toString().replace(`"method":"GET"`, `"method":"GET","method":"PUT"`)],
    ["an escaped name in an item", canonical.toString().replace(`"path":"/v1`, `"p\\u0061th":"/v1`)],
    ["endpoints for findings", `{${SERVICE},${SPEC},"endpoints":[],"findings":${E}}`],
    ["findings for endpoints", `{${SERVICE},${SPEC},"endpoints":${F},"findings":[]}`],
    [
      "an item that is split",
      `{${SERVICE},${SPEC},"endpoints":[${one.replace(`,"path"`, `},{"path"`)}],"findings":[]}`,
    ],
    ["other brackets", `{${SERVICE},${SPEC},"endpoints":[${one.replace(/\}$/, "]")}],"findings":[]}`],
    ["a lone surrogate", canonical.toString().replace("/v1", "\\ud800")],
    ["a lone surrogate in the description", canonical.toString().replace("Orders", "\\udfff")],
    ["a pair of surrogates, escaped", canonical.toString().replace("/v1", "\\ud83d\\ude00")],
    ["NUL", canonical.toString().replace("/v1", "\\u0000")],
    ["NUL in the description", canonical.toString().replace("Orders", "\\u0000")],
    ["a control character", canonical.toString().replace("Orders", "\\u0001").replace("/v1", "\\u001f")],
    ["an upper-case escape", canonical.toString().replace("/v1", "\\u001F")],
    ["a control character, as it is", canonical.toString().replace("/v1", "\u0001")],
    ["a number for a text", canonical.toString().replace(/"path":"[^"]*"/, '"path":1')],
    ["a number for a service", canonical.toString().replace('"orders"', "1")],
    ["-0, 1e3 and 1.0", canonical.toString().replace('"1.2.3"', "[-0,1e3,1.0]")],
    ["a byte order mark", `\ufeff${canonical.toString()}`],
    ["something behind it", `${canonical.toString()}{}`],
    ["itself twice", `${canonical.toString()},${canonical.toString()}`],
    ["a list around it", `[${canonical.toString()}]`],
    ["64 levels in the description", `{"service":${nested(63)},${SPEC},"endpoints":${E},"findings":${F}}`],
    ["100,000 levels in the description", `{"service":${nested(1e5)},${SPEC},"endpoints":[],"findings":[]}`],
    ["100,000 levels in an item", `{${SERVICE},${SPEC},"endpoints":[${nested(1e5)}],"findings":[]}`],
    ["100,000 levels, not closed", `{${SERVICE},${SPEC},"endpoints":[],"findings":[{"c":${"[".repeat(1e5)}`],
    ["a service named like a list", canonicalJson({ ...scan, service: { name: "endpoints" } })],
    ["a title like a list", canonicalJson({ ...scan, spec: { ...scan.spec, title: `x"findings":[` } })],
    ["2,000 endpoints and 500 findings", canonicalJson(scanPayload({ endpoints: 2000, findings: 500 }))],
    ["2,001 endpoints", canonicalJson(scanPayload({ endpoints: 2001 }))],
    ["501 findings", canonicalJson(scanPayload({ findings: 501 }))],
    [
      "bytes that are not UTF-8",
      Buffer.concat([canonical.subarray(0, 30), Buffer.of(0xff), canonical.subarray(30)]),
    ],
    [
      "half a character",
      Buffer.from(canonicalJson(scanPayload({ seed: "é" })).filter((byte) => byte !== 0xa9)),
    ],
  ])("%s", async (_name, json) => {
    const { given, wanted } = await outcomes(json, [canonical]);
    expect(given).toEqual(wanted);
  });

  it("with stored endpoints after stored findings, or the other way round", async () => {
    // A chunk ends after this many items, whatever their hash.
    const many = <Item>(items: Item[]) => Array.from({ length: 32 }, () => items.slice(0, 1)).flat();
    const [endpoints, findings] = [many(scan.endpoints), many(scan.findings)];
    const storedScans = [
      canonicalJson({ ...scan, endpoints, findings: scan.findings.slice(0, 1) }),
      canonicalJson({ ...scan, endpoints: scan.endpoints.slice(0, 1), findings }),
    ];
    for (const lists of [
      { endpoints: [], findings: [...findings, ...endpoints.slice(0, 1)] },
      { endpoints: [...endpoints, ...findings.slice(0, 1)], findings: [] },
    ]) {
      const { given, wanted } = await outcomes(JSON.stringify({ ...scan, ...lists }), storedScans);
      expect(given).toEqual(wanted);
      expect(wanted).toEqual([undefined, undefined]);
    }
  });

  it("cut off at any position", async () => {
    for (let bytes = 0; bytes < canonical.byteLength; bytes++) {
      const { given, wanted } = await outcomes(canonical.subarray(0, bytes), [canonical]);
      expect(given).toEqual(wanted);
    }
  });

  it("in any order, with any repeated, escaped or nested names and lists", async () => {
    const lists = fc.constantFrom(E, F, "[]", `[${one}]`, `[${one},${one}]`, "[{}]", "null", `[ ${one}]`);
    const names = fc.constantFrom(
      "endpoints",
      "findings",
      "\\u0065ndpoints",
      "f\\u0069ndings",
      '\\"endpoints',
      "x",
    );
    const list = fc.tuple(names, lists).map(([name, value]) => `"${name}":${value}`);
    const holder = fc
      .tuple(fc.constantFrom("service", "spec", "x"), list)
      .map(([name, value]) => `"${name}":{${value}}`);
    const usual = fc.constantFrom(
      SERVICE,
      SPEC,
      `"endpoints":${E}`,
      `"endpoints":[]`,
      `"findings":${F}`,
      `"findings":[]`,
    );
    const member = fc.oneof({ arbitrary: usual, weight: 3 }, list, holder);
    const lists2 = [SERVICE, SPEC, `"endpoints":${E}`, `"findings":${F}`];
    const members = fc
      .tuple(fc.shuffledSubarray(lists2, { minLength: 2 }), fc.array(member, { maxLength: 4 }))
      .chain(([some, more]) =>
        fc.shuffledSubarray([...some, ...more], { minLength: some.length + more.length }),
      );
    await fc.assert(
      fc.asyncProperty(members, async (parts) => {
        const { given, wanted } = await outcomes(`{${parts.join()}}`, [canonical]);
        expect(given).toEqual(wanted);
      }),
      { numRuns: scaled({ short: 600, long: 3_000 }) },
    );
  });

  it("with any texts, and after any damage", async () => {
    const bytes = fc.oneof(
      fc.constantFrom(
        `"`,
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\\u0061",
        "\\/",
        `"endpoints":[]`,
        "0",
        "é",
      ),
      fc.string({ unit: "binary", maxLength: 2 }),
    );
    const damage = fc.record({ at: fc.nat(), removed: fc.nat({ max: 3 }), added: bytes });
    await fc.assert(
      fc.asyncProperty(arbitraryScan, fc.array(damage, { maxLength: 3 }), async (payload, damages) => {
        const whole = canonicalJson(payload);
        const damaged = damages.reduce((body, { at, removed, added }) => {
          const start = at % (body.byteLength + 1);
          return Buffer.concat([body.subarray(0, start), Buffer.from(added), body.subarray(start + removed)]);
        }, whole);
        const { given, wanted } = await outcomes(damaged, [whole]);
        expect(given).toEqual(wanted);
      }),
      { numRuns: scaled({ short: 200, long: 1_000 }) },
    );
  });
});
