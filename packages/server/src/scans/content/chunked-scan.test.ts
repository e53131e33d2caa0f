import { describe, expect, it } from "vitest";
import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { canonicalJson } from "./canonical-scan.ts";
import { chunkScan } from "./chunked-scan.ts";
import { unpackChunks } from "./packed-chunks.ts";

const endpoint: NormalizedEndpoint = {
  method: "GET",
  path: "/a",
  operationId: null,
  tags: ["x", "y"],
  summary: "s",
};
const finding: NormalizedFinding = { code: "c", severity: "low", message: "m", method: null, path: null };

function ids(endpoints: NormalizedEndpoint[], findings: NormalizedFinding[]) {
  const { snapshotId, endpointChunks, findingChunks } = chunkedContent({ endpoints, findings });
  return { snapshotId, endpointChunks, findingChunks };
}

describe("the ids of a scan's content", () => {
  it("depend only on the content, not on the order of an object's fields", () => {
    const { method, path, operationId, tags, summary } = endpoint;
    const { code, severity, ...rest } = finding;
    expect(ids([{ summary, tags, operationId, path, method }], [{ ...rest, severity, code }])).toEqual(
      ids([endpoint], [finding]),
    );
  });

  it("do not depend on service and spec", () => {
    const { endpoints, findings } = scanPayload({ endpoints: 20 });
    const other = scanPayload({ endpoints: 20, serviceName: "another" });
    const sent = chunkScan(canonicalJson({ ...other, spec: { ...other.spec, title: "Another" } }));
    expect(sent).toMatchObject(ids(endpoints, findings));
  });

  // Computed in another language: the first half of the SHA-256 of the items' JSON text as `json.dumps` writes it without
  // spaces and with `ensure_ascii=False`, and of the text of the ids and the counts.
  it("never change between versions: stored content is found by them", () => {
    expect(ids([endpoint], [finding])).toEqual({
      snapshotId: "88c2369c8cc066a6dd39825ae7899769",
      endpointChunks: ["062b2e457e95c7c089a20b6e283d9cb2"],
      findingChunks: ["f33e4320c8c9b20ab4235b0baad38f61"],
    });
    const awkward = { ...endpoint, path: `/é😀漢"\\/\u2028\u007f\n\u001f`, summary: null, tags: [] };
    expect(ids([awkward, endpoint], [])).toEqual({
      snapshotId: "e7fbf7e7db421d87d467934d2d59cb26",
      endpointChunks: ["ba6e9c2acc545e2e9f528aa031a8f100"],
      findingChunks: [],
    });
  });

  it.each<[string, NormalizedEndpoint[], NormalizedFinding[]]>([
    ["another method", [{ ...endpoint, method: "PUT" }], [finding]],
    ["another path", [{ ...endpoint, path: "/b" }], [finding]],
    ["an empty instead of no operationId", [{ ...endpoint, operationId: "" }], [finding]],
    ["tags in another order", [{ ...endpoint, tags: ["y", "x"] }], [finding]],
    ["tags joined", [{ ...endpoint, tags: ["x,y"] }], [finding]],
    ["no tags", [{ ...endpoint, tags: [] }], [finding]],
    ["another summary", [{ ...endpoint, summary: "S" }], [finding]],
    ["a duplicate", [endpoint, endpoint], [finding]],
    ["no endpoint", [], [finding]],
    ["no finding", [endpoint], []],
    ["another code", [endpoint], [{ ...finding, code: "d" }]],
    ["another severity", [endpoint], [{ ...finding, severity: "high" }]],
    ["another message", [endpoint], [{ ...finding, message: "" }]],
    ["a finding's method", [endpoint], [{ ...finding, method: "GET" }]],
    ["a finding's path", [endpoint], [{ ...finding, path: "null" }]],
  ])("differ for %s", (_name, endpoints, findings) => {
    expect(ids(endpoints, findings).snapshotId).not.toBe(ids([endpoint], [finding]).snapshotId);
  });

  it("of chunks don't depend on their position; the snapshot's id depends on their order", () => {
    const { endpoints } = scanPayload({ endpoints: 200 });
    const content = chunkedContent({ endpoints, findings: [] });
    const { endpoints: chunks } = unpackChunks(content.pack(new Set(content.endpointChunks)));
    const headLength = chunks.slice(0, 2).reduce((sum, { items }) => sum + items.length, 0);
    const [head, tail] = [endpoints.slice(0, headLength), endpoints.slice(headLength)];
    expect(ids(head, []).endpointChunks).toEqual(content.endpointChunks.slice(0, 2));
    expect(ids(tail, []).endpointChunks).toEqual(content.endpointChunks.slice(2));
    const doubled = ids([...head, ...head, ...tail], []);
    expect(new Set(doubled.endpointChunks)).toEqual(new Set(content.endpointChunks));
    expect(doubled.snapshotId).not.toBe(content.snapshotId);
    expect(ids([...head, ...head], []).endpointChunks).toEqual([
      ...ids(head, []).endpointChunks,
      ...ids(head, []).endpointChunks,
    ]);
  });
});

describe("counts", () => {
  it("include all items, also duplicates", () => {
    const content = { endpoints: [endpoint, endpoint], findings: [finding, finding, finding] };
    expect(chunkedContent(content)).toMatchObject({ endpointCount: 2, findingCount: 3 });
  });
});

describe("packing", () => {
  const all = ({ endpointChunks, findingChunks }: ReturnType<typeof ids>) =>
    new Set([...endpointChunks, ...findingChunks]);

  it("returns the items, endpoints and findings separately", () => {
    const { endpoints, findings } = scanPayload({ endpoints: 200, findings: 60 });
    // Equal chunks are packed once; here, all are different.
    const content = chunkedContent({ endpoints, findings });
    const unpacked = unpackChunks(content.pack(all(content)));
    expect(unpacked.endpoints.flatMap(({ items }) => items)).toEqual(endpoints);
    expect(unpacked.findings.flatMap(({ items }) => items)).toEqual(findings);
    expect(unpacked.endpoints.map(({ id }) => id)).toEqual(content.endpointChunks);
    expect(unpacked.findings.map(({ id }) => id)).toEqual(content.findingChunks);
  });

  it("packs only the requested chunks", () => {
    const content = chunkedContent(scanPayload({ endpoints: 100, findings: 50 }));
    const [wanted = ""] = content.findingChunks;
    const { endpoints, findings } = unpackChunks(content.pack(new Set([wanted, "0".repeat(32)])));
    expect(endpoints).toEqual([]);
    expect(findings.map(({ id }) => id)).toEqual([wanted]);
    expect(content.pack(new Set())).toHaveLength(0);
  });

  it("packs a chunk once that occurs several times in a scan", () => {
    const content = chunkedContent({ endpoints: Array.from({ length: 64 }, () => endpoint), findings: [] });
    expect(content.endpointChunks.length).toBeGreaterThan(1);
    expect(new Set(content.endpointChunks).size).toBe(1);
    expect(unpackChunks(content.pack(all(content))).endpoints).toHaveLength(1);
  });
});

describe("chunkScan", () => {
  it.each([
    ["an unknown method", '"method":"GET"', '"method":"get"'],
    ["a field of the wrong type", '"summary":"s"', '"summary":7'],
    ["a field too many", '"summary":"s"', '"summary":"s","more":""'],
    ["a field too few", ',"summary":"s"', ""],
    ["a field twice", '"path":"/a"', '"path":"/b","path":"/a"'],
    ["fields in another order", '"method":"GET","path":"/a"', '"path":"/a","method":"GET"'],
    [
      "identity first, then fields in another order",
      '"operationId":null,"tags":["x","y"]',
      '"tags":["x","y"],"operationId":null',
    ],
    ["an escape that is not needed", '"/a"', '"\\/a"'],
    ["an escaped letter", '"/a"', '"/\\u0061"'],
    ["an escaped name", '"path"', '"p\\u0061th"'],
    ["a lone surrogate", '"/a"', '"\\ud800"'],
    ["NUL", '"/a"', '"\\u0000"'],
    ["a number too long", '"summary":"s"', '"summary":1e999'],
    ["a text too long", '"/a"', `"${"a".repeat(1001)}"`],
    ["too many tags", '["x","y"]', JSON.stringify(Array.from({ length: 21 }, String))],
    ["what is no JSON", '"summary":"s"', '"summary":s'],
    ["other brackets", '["x","y"]', '["x","y"}'],
  ])("is undefined for %s", (_name, before, after) => {
    const json = canonicalJson({ ...scanPayload({ findings: 3 }), endpoints: [endpoint] });
    expect(json.toString()).toContain(before);
    expect(chunkScan(json)).toBeDefined();
    expect(chunkScan(Buffer.from(json.toString().replace(before, after)))).toBeUndefined();
  });
});
