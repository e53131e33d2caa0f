import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { expect, test } from "vitest";
import { filterJourneys } from "./filter-journeys.ts";

const document = (path: string, more: Partial<JourneyDocument> = {}): JourneyDocument => ({
  id: path,
  path,
  kind: "journey",
  journeyKey: path,
  title: null,
  isTemplate: false,
  tags: [],
  infoVersion: null,
  headVersion: 1,
  headHash: "",
  errorCount: 0,
  warningCount: 0,
  base: null,
  drift: null,
  managedBy: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  archivedAt: null,
  lastRun: null,
  lastRuns: [],
  recentStatuses: [],
  criteria: null,
  ...more,
});
const ALL = [
  document("api.yaml", { kind: "openapi" }),
  document("z.overlay.yaml", { kind: "overlay", base: { id: "b.journey.yaml", path: "b.journey.yaml" } }),
  document("lost.overlay.yaml", { kind: "overlay", base: { id: null, path: "a-gone.yaml" } }),
  document("c.journey.yaml", { title: "Refunds", tags: ["money"] }),
  document("b.journey.yaml", { isTemplate: true }),
];

test.each([
  [
    { text: "", kind: "" },
    ["lost.overlay.yaml", "b.journey.yaml", "z.overlay.yaml", "c.journey.yaml", "api.yaml"],
  ],
  [{ text: "", kind: "template" }, ["b.journey.yaml"]],
  [{ text: "", kind: "variant" }, ["lost.overlay.yaml", "z.overlay.yaml"]],
  [{ text: "", kind: "description" }, ["api.yaml"]],
  [{ text: "refund", kind: "" }, ["c.journey.yaml"]],
  [{ text: "MONEY", kind: "journey" }, ["c.journey.yaml"]],
])("%j finds %j, variants after their base", (filter, paths) => {
  expect(filterJourneys(ALL, filter).map(({ journey }) => journey.path)).toEqual(paths);
});

const variant = (path: string, base: string) =>
  document(path, { kind: "overlay", base: { id: base, path: base } });
const FAMILY = [
  variant("a.overlay.yaml", "y.overlay.yaml"),
  document("c.journey.yaml"),
  variant("y.overlay.yaml", "b.journey.yaml"),
  document("b.journey.yaml"),
  variant("x.overlay.yaml", "b.journey.yaml"),
];
const treeOf = (journeys: readonly JourneyDocument[], text = "") =>
  filterJourneys(journeys, { text, kind: "" }).map(({ journey, depth }) => `${depth} ${journey.path}`);

test("variants of variants are below them, and each is as deep as what is listed above it", () => {
  expect(treeOf(FAMILY)).toEqual([
    "0 b.journey.yaml",
    "1 x.overlay.yaml",
    "1 y.overlay.yaml",
    "2 a.overlay.yaml",
    "0 c.journey.yaml",
  ]);
  expect(treeOf(FAMILY, "overlay")).toEqual(["0 x.overlay.yaml", "0 y.overlay.yaml", "1 a.overlay.yaml"]);
});

test("variants that extend one another, and those of a document that is not listed, are found once", () => {
  const circle = [variant("a.overlay.yaml", "b.overlay.yaml"), variant("b.overlay.yaml", "a.overlay.yaml")];
  expect(treeOf([...circle, variant("c.overlay.yaml", "archived.yaml")])).toEqual([
    "0 c.overlay.yaml",
    "0 b.overlay.yaml",
    "1 a.overlay.yaml",
  ]);
});
