import { createConfig } from "@redocly/openapi-core";
import { ruleDocumentationOf } from "@waymark/shared/scans/rule-documentation.ts";
import { expect, it } from "vitest";

it("every built-in rule of the engine has a page, and no other code has one", async () => {
  const { rules } = await createConfig({ extends: ["all"] });
  const ofOpenApi = [rules.oas2, rules.oas3_0, rules.oas3_1, rules.oas3_2].flatMap((ofVersion) =>
    Object.keys(ofVersion),
  );
  expect(ofOpenApi.length).toBeGreaterThan(200);
  expect(ofOpenApi.filter((code) => ruleDocumentationOf(code) === null)).toEqual([]);
  expect(ruleDocumentationOf("operation-4xx-response")).toBe(
    "https://redocly.com/docs/cli/rules/operation-4xx-response",
  );
  for (const code of ["rule/no-verbs", "plugin/naming", "oas3-api-servers", "constructor", ""])
    expect(ruleDocumentationOf(code)).toBeNull();
});
