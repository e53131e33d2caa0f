import { expect, it } from "vitest";
import type { NormalizedEndpoint, NormalizedFinding } from "../schema.ts";
import { snapshotId } from "./snapshot-rows.ts";

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

// Worked out in another language from what Postgres' documentation says of arrays of composite values: 1 endpoint, the
// length of its row, 1 finding, and the two rows with an id of 32 zeros, each after 20 zeros.
it("never changes between versions: stored snapshots are found by it", () => {
  expect(hex([endpoint], [finding])).toBe("3f4fe33697b67f8fbe04fae52aa280b9b2495e2eba20260d7d7872cc9841044f");
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
