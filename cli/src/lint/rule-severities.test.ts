import { readFileSync } from "node:fs";
import { createConfig } from "@redocly/openapi-core";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import { expect, it } from "vitest";
import { RULE_SEVERITIES } from "./rule-severities.ts";

it("every rule that the engine recommends has a severity, with the engine's own level", async () => {
  const { rules } = await createConfig({ extends: ["recommended"] });
  const levels = [rules.oas2, rules.oas3_0, rules.oas3_1, rules.oas3_2].flatMap((ofVersion) =>
    Object.entries(ofVersion).map(([rule, setting]) => [
      rule,
      typeof setting === "string" ? setting : "severity" in setting ? setting.severity : "error",
    ]),
  );
  const recommended = new Map(levels.filter(([, level]) => level !== "off") as [string, string][]);
  expect(Object.fromEntries([...RULE_SEVERITIES].map(([rule, { level }]) => [rule, level]))).toEqual(
    Object.fromEntries(recommended),
  );
});

it("the documentation has each rule with its severity, and why", () => {
  const page = readFileSync(new URL("../../../docs/rules.md", import.meta.url), "utf8");
  const rows = SEVERITIES.toReversed().flatMap((severity) =>
    [...RULE_SEVERITIES]
      .filter(([, each]) => each.severity === severity)
      .map(([rule, { why }]) => `- ${severity}: \`${rule}\`. ${why}`),
  );
  expect(page.split("\n").filter((line) => line.startsWith("- "))).toEqual(rows);
});
