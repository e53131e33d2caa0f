import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryScan } from "@waymark/test-support/scans/arbitrary-scan.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { canonicalJson } from "./canonical-scan.ts";
import { splitScan } from "./split-scan.ts";

// read-scan.test.ts tests damaged texts.

/** The item texts that are found in this JSON text. */
function split(json: string | Buffer) {
  const body = Buffer.from(json);
  const found = splitScan(body);
  if (found === undefined) return undefined;
  const texts = (items: typeof found.endpoints) =>
    items.map(({ start, end }) => body.toString("utf8", start, end));
  return { ...found, endpoints: texts(found.endpoints), findings: texts(found.findings) };
}

const scan = scanPayload({ endpoints: 9, findings: 5 });
const canonical = canonicalJson(scan);
const [endpoint = ""] = scan.endpoints.map((item) => JSON.stringify(item));
const [finding = ""] = scan.findings.map((item) => JSON.stringify(item));
const scanOf = (endpoints: string, findings = "[]") =>
  `{"service":{"name":"a"},"endpoints":${endpoints},"findings":${findings}}`;

describe("splitScan", () => {
  it("finds exactly the items' texts and the rest, for any texts and any order of the description's fields", () => {
    const fields = fc.shuffledSubarray(["service", "spec"] as const, { minLength: 2 });
    fc.assert(
      fc.property(arbitraryScan, fields, (payload, names) => {
        const { endpoints, findings, ...description } = payload;
        const ordered = Object.fromEntries(names.map((name) => [name, payload[name]]));
        for (const json of [canonicalJson(payload), JSON.stringify({ ...ordered, endpoints, findings })]) {
          const found = split(json);
          expect(found?.endpoints).toEqual(endpoints.map((item) => JSON.stringify(item)));
          expect(found?.findings).toEqual(findings.map((item) => JSON.stringify(item)));
          expect(JSON.parse(found?.description ?? "")).toEqual({
            ...description,
            endpoints: [],
            findings: [],
          });
        }
      }),
      { numRuns: 300 },
    );
  });

  it("hashes only an item's identity", () => {
    const hashOf = (json: string) => splitScan(Buffer.from(scanOf(`[${json}]`)))?.endpoints[0]?.identityHash;
    expect(hashOf(endpoint.replace(/"summary":.*/, '"summary":"other"}'))).toBe(hashOf(endpoint));
    expect(hashOf(endpoint.replace('"path":"/', '"path":"/x'))).not.toBe(hashOf(endpoint));
    expect(hashOf(endpoint.replace('"GET"', '"PUT"'))).not.toBe(hashOf(endpoint));
  });

  it.each([
    ["an empty body", ""],
    ["no list", `{"service":{"name":"a"}}`],
    ["one list", `{"service":{"name":"a"},"endpoints":[${endpoint}]}`],
    ["white space before a list", scanOf(` [${endpoint}]`)],
    ["white space at the beginning of a list", scanOf(`[ ${endpoint}]`)],
    ["white space at the end of a list", scanOf(`[${endpoint} ]`)],
    ["white space in an empty list", scanOf("[ ]")],
    ["white space between items", scanOf(`[${endpoint}, ${endpoint}]`)],
    ["white space in an item", scanOf(`[${endpoint.replace(",", ",\n")}]`)],
    ["a control character in an item", scanOf(`[${endpoint.replace(",", ",\u0001")}]`)],
    ["a comma at the end", scanOf(`[${endpoint},]`)],
    ["a comma at the beginning", scanOf(`[,${endpoint}]`)],
    ["no comma between items", scanOf(`[${endpoint}${endpoint}]`)],
    ["more than an item", scanOf(`[${endpoint}x]`)],
    ["a number for an item", scanOf("[1]")],
    ["a string for an item", scanOf('["{}"]')],
    ["null for an item", scanOf(`[${endpoint},null]`)],
    ["an empty item", scanOf("[{}]")],
    ["a list in a list", scanOf(`[[${endpoint}]]`)],
    ["a finding among endpoints", scanOf(`[${finding}]`)],
    ["an endpoint among findings", scanOf("[]", `[${endpoint}]`)],
    ["an item nested deeper", scanOf(`[${endpoint.replace(/"tags":\[.*\],/, '"tags":[[[]]],')}]`)],
    ["findings inside of an endpoint", `{"endpoints":[{"method":"GET","findings":[]}]}`],
    ["another name", `{"endpoints":[],"finding":[]}`],
    ["an escape in a name", `{"endpoints":[],"\\u0066indings":[]}`],
  ])("does not split %s", (_name, json) => {
    expect(splitScan(Buffer.from(json))).toBeUndefined();
  });

  it("does not split a text that is cut off inside a list, at any byte", () => {
    const listsEnd = canonical.lastIndexOf("]");
    for (let bytes = 0; bytes < canonical.byteLength; bytes++) {
      const found = splitScan(canonical.subarray(0, bytes));
      expect(found === undefined || bytes > listsEnd).toBe(true);
    }
  });

  it("ends without an exception for any bytes", () => {
    const parts = fc.oneof(
      fc.constantFrom(
        `"endpoints":[`,
        `"findings":[`,
        endpoint,
        finding,
        `"`,
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        `{"m`,
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), fc.uint8Array({ maxLength: 4 }), (texts, end) => {
        expect(() => splitScan(Buffer.concat([Buffer.from(texts.join("")), end]))).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });
});
