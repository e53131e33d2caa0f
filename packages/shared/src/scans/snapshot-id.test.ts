import { expect, it } from "vitest";
import type { NormalizedEndpoint, NormalizedFinding } from "./schema.ts";
import { snapshotId } from "./snapshot-id.ts";

const endpoint: NormalizedEndpoint = {
  method: "GET",
  path: "/a",
  operationId: null,
  tags: ["x", "y"],
  summary: "s",
};
const finding: NormalizedFinding = { code: "c", severity: "low", message: "m", method: null, path: null };
const hex = (endpoints: NormalizedEndpoint[], findings: NormalizedFinding[]) =>
  snapshotId({ endpoints, findings }).toString("hex");

it("depends on the content alone, not on the order of an object's fields", () => {
  const { method, path, operationId, tags, summary } = endpoint;
  expect(hex([{ summary, tags, operationId, path, method }], [finding])).toBe(hex([endpoint], [finding]));
});

// printf of [1,[["GET","/a",null,["x","y"],"s"]],[["c","low","m",null,null]]] piped to sha256sum.
it("never changes between versions: stored snapshots are found by it", () => {
  expect(hex([endpoint], [finding])).toBe("7c7790944d9d4db3bdffd5cf52a070872522136a3f9ee54811133f935774eef5");
});

it.each<[string, NormalizedEndpoint[], NormalizedFinding[]]>([
  ["another method", [{ ...endpoint, method: "PUT" }], [finding]],
  ["another path", [{ ...endpoint, path: "/b" }], [finding]],
  ["an empty instead of no operationId", [{ ...endpoint, operationId: "" }], [finding]],
  ["tags in another order", [{ ...endpoint, tags: ["y", "x"] }], [finding]],
  ["tags joined", [{ ...endpoint, tags: ["x,y"] }], [finding]],
  ["a duplicate", [endpoint, endpoint], [finding]],
  ["no finding", [endpoint], []],
  ["another severity", [endpoint], [{ ...finding, severity: "high" }]],
])("differs for %s", (_name, endpoints, findings) => {
  expect(hex(endpoints, findings)).not.toBe(hex([endpoint], [finding]));
});
