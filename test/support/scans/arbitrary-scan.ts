import { HTTP_METHODS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import * as fc from "fast-check";

/** Texts that a byte reader may mistake for structure. */
const STRUCTURE = [
  `"endpoints":[`,
  `"findings":[{`,
  `,"endpoints":[]`,
  `x"endpoints`,
  "endpoints",
  "findings",
  `{"method":`,
  "},{",
  `},{"code":`,
  `],"findings":[`,
  "\\",
  `\\"`,
  `"`,
  "}",
  "]",
  "[[[[",
  "\\u0065",
  " \n",
];

/** Any text that the contract accepts. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).map((value) => value.replaceAll("\0", "")),
  fc.constantFrom(...STRUCTURE),
  fc.array(fc.constantFrom(...STRUCTURE), { maxLength: 3 }).map((parts) => parts.join("")),
);
const textOrNull = fc.option(text);

const endpoint: fc.Arbitrary<NormalizedEndpoint> = fc.record({
  method: fc.constantFrom(...HTTP_METHODS),
  path: text,
  operationId: textOrNull,
  tags: fc.array(text, { maxLength: 3 }),
  summary: textOrNull,
});

const finding: fc.Arbitrary<NormalizedFinding> = fc.record({
  code: text,
  severity: fc.constantFrom(...SEVERITIES),
  message: text,
  method: fc.option(fc.constantFrom(...HTTP_METHODS)),
  path: textOrNull,
});

const name = text.filter((value) => value !== "");
const description = fc.record({
  service: fc.record({ name }),
  spec: fc.record(
    {
      hash: fc.constant("0".repeat(64)),
      format: fc.constant("openapi" as const),
      version: text,
      title: text,
    },
    { requiredKeys: ["hash", "format"] },
  ),
});

/** Valid scans. Their fields are in the contract's order. */
export const arbitraryScan = fc
  .tuple(description, fc.array(endpoint, { maxLength: 40 }), fc.array(finding, { maxLength: 12 }))
  .map(([described, endpoints, findings]) => ({ ...described, endpoints, findings }));
