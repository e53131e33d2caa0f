import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { expect, test } from "vitest";
import { groupByRule } from "./group-by-rule.ts";

const finding = (code: string, severity: NormalizedFinding["severity"]): NormalizedFinding => ({
  code,
  severity,
  message: "m",
  method: null,
  path: null,
});

test("findings are by rule: the most severe rules first, then those with the most findings", () => {
  const rules = groupByRule([
    finding("b", "low"),
    finding("c", "low"),
    finding("c", "low"),
    finding("a", "info"),
    finding("a", "critical"),
  ]);
  expect(rules.map(({ code, severity, findings }) => [code, severity, findings.length])).toEqual([
    ["a", "critical", 2],
    ["c", "low", 2],
    ["b", "low", 1],
  ]);
});
