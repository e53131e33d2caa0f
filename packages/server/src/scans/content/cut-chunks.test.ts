import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkedContent } from "@waymark/test-support/scans/chunked-payload.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { CHUNK_ITEMS_MAX, CHUNK_ITEMS_MIN, cutChunks } from "./cut-chunks.ts";
import { unpackChunks } from "./packed-chunks.ts";

const endpointAt = (path: string): NormalizedEndpoint => ({
  method: "GET",
  path,
  operationId: null,
  tags: [],
  summary: null,
});
const pathsOf = (count: number) => Array.from({ length: count }, (_, n) => `/v1/things/${n}/{id}`);

function chunksOf(endpoints: readonly NormalizedEndpoint[], findings: readonly NormalizedFinding[] = []) {
  const content = chunkedContent({ endpoints: [...endpoints], findings: [...findings] });
  const unpacked = unpackChunks(content.pack(new Set([...content.endpointChunks, ...content.findingChunks])));
  const sizeOf = new Map(
    [...unpacked.endpoints, ...unpacked.findings].map(({ id, items }) => [id, items.length]),
  );
  const ids = [...content.endpointChunks, ...content.findingChunks];
  return { ids, sizes: ids.map((id) => sizeOf.get(id) ?? 0) };
}

const cut = (paths: readonly string[]) => chunksOf(paths.map(endpointAt)).sizes;

/** How many chunks of one list are not in the other. */
function countNew(after: readonly string[], before: readonly string[]): number {
  const known = new Set(chunksOf(before.map(endpointAt)).ids);
  return chunksOf(after.map(endpointAt)).ids.filter((id) => !known.has(id)).length;
}

describe("cutChunks", () => {
  it("includes all items, and keeps every chunk's size within its limits, for any identities", () => {
    const hashes = fc.array(fc.oneof(fc.nat({ max: 0xffffffff }), fc.constantFrom(0, 1, 4)), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(hashes, (numbers) => {
        const items = numbers.map((identityHash) => ({ identityHash }));
        const chunks = cutChunks(items);
        const sizes = chunks.map(({ length }) => length);
        expect(chunks.flat()).toEqual(items);
        for (const size of sizes) expect(size).toBeLessThanOrEqual(CHUNK_ITEMS_MAX);
        for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(CHUNK_ITEMS_MIN);
        expect(sizes.at(-1)).not.toBe(0);
      }),
    );
  });

  it("makes no chunk of no items, and one of a single item", () => {
    expect(cutChunks([])).toEqual([]);
    expect(cutChunks([{ identityHash: 1 }])).toEqual([[{ identityHash: 1 }]]);
  });

  // Computed in another language from the description of FNV-1a, with four bytes at a time.
  it("cuts at the same positions in every version; otherwise all content would be stored again", () => {
    expect(cut(pathsOf(40))).toEqual([4, 4, 9, 4, 5, 4, 5, 5]);
    expect(cut(["é😀漢", "/é", `"\\`, "", ...pathsOf(8)])).toEqual([4, 4, 4]);
  });

  it("makes chunks of 7 items on average", () => {
    expect(2000 / cut(pathsOf(2000)).length).toBeCloseTo(7, 0);
  });

  it.each<[string, (items: string[], at: number) => string[]]>([
    ["inserted", (items, at) => items.toSpliced(at, 0, `/new/${at}`)],
    ["removed", (items, at) => items.toSpliced(at, 1)],
    ["renamed", (items, at) => items.toSpliced(at, 1, `/new/${at}`)],
  ])("keeps all but a few chunks if an item is %s at any position", (_change, apply) => {
    const before = pathsOf(300);
    const counts = before.map((_, at) => countNew(apply(before, at), before));
    expect(Math.max(...counts)).toBeLessThanOrEqual(8);
    expect(counts.reduce((sum, count) => sum + count, 0) / counts.length).toBeLessThan(2);
  });

  it.each([
    ["none ends a chunk", false],
    ["each may end one", true],
  ])("limits the chunks of a client that chooses identities of which %s", (_case, isBoundary) => {
    const endsChunk = (path: string) => cut(["/0", "/1", "/2", path, "/3"]).length === 2;
    const chosen = Array.from({ length: 5000 }, (_, n) => `/chosen/${n}`).filter(
      (path) => endsChunk(path) === isBoundary,
    );
    const items = chosen.slice(0, 960);
    expect(items).toHaveLength(960);
    const sizes = cut(items);
    expect(sizes).toHaveLength(960 / (isBoundary ? CHUNK_ITEMS_MIN : CHUNK_ITEMS_MAX));
    // An insertion moves every boundary up to the next content-defined one, which is the end here.
    expect(countNew(items.toSpliced(1, 0, "/0"), items)).toBeLessThanOrEqual(sizes.length + 1);
  });

  it("does not depend only on the last characters of an identity", () => {
    const sizes = cut(Array.from({ length: 1000 }, (_, n) => `/v1/${n.toString(36)}/items`));
    expect(sizes.length).toBeGreaterThan(100);
    expect(sizes.length).toBeLessThan(200);
  });
});

describe("the identity of an item", () => {
  const { endpoints, findings } = scanPayload({ endpoints: 400, findings: 300 });
  const numbered = findings.map((finding, n) => ({ ...finding, message: `message ${n}` }));
  const before = chunksOf(endpoints, numbered).sizes;

  it("is an endpoint's method and path, and a finding's code, severity and message: nothing else moves a boundary", () => {
    const described = endpoints.map((endpoint) => ({
      ...endpoint,
      operationId: "x",
      tags: ["]}"],
      summary: '"',
    }));
    const located = numbered.map((finding) => ({ ...finding, method: "PUT" as const, path: '/"' }));
    expect(chunksOf(described, located).sizes).toEqual(before);
  });

  it.each<[string, (endpoint: NormalizedEndpoint) => NormalizedEndpoint]>([
    ["method", (endpoint) => ({ ...endpoint, method: endpoint.method === "GET" ? "PUT" : "GET" })],
    ["path", (endpoint) => ({ ...endpoint, path: `${endpoint.path}/` })],
  ])("depends on an endpoint's %s", (_field, change) => {
    expect(chunksOf(endpoints.map(change), numbered).sizes).not.toEqual(before);
  });

  it.each<[string, (finding: NormalizedFinding) => NormalizedFinding]>([
    ["code", (finding) => ({ ...finding, code: `${finding.code}/` })],
    ["severity", (finding) => ({ ...finding, severity: finding.severity === "low" ? "high" : "low" })],
    ["message", (finding) => ({ ...finding, message: `${finding.message}/` })],
  ])("depends on a finding's %s", (_field, change) => {
    expect(chunksOf(endpoints, numbered.map(change)).sizes).not.toEqual(before);
  });
});
