import { expect, test } from "vitest";
import { describeCompared } from "./compared.ts";
import { NormalizedEndpoint } from "./schema.ts";

test("every field of an endpoint is named as compared, and what a scan lacks as not compared", () => {
  const words = describeCompared({ findings: true });
  for (const field of Object.keys(NormalizedEndpoint.shape)) expect(words).toContain(field);
  expect(words).toContain("findings");
  expect(words).toMatch(/Parameters, request bodies and responses were not\.$/);
  expect(describeCompared({ findings: false })).not.toContain("findings");
});
