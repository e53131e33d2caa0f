import { describe, expect, test } from "vitest";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { ACTION_FAULTS } from "./lint-faults/actions.ts";
import { TARGET_FAULTS } from "./lint-faults/targets.ts";
import { VALUE_FAULTS } from "./lint-faults/values.ts";
import { expectSame, type Files } from "./support/same-problems.ts";

const SOUND = `arazzo: 1.1.0
info: { title: T, version: 1.0.0 }
sourceDescriptions: [{ name: api, url: x, type: openapi }]
components:
  successActions: { stop: { name: stop, type: end } }
workflows:
  - workflowId: main
    inputs: { type: object, properties: { token: { type: string } } }
    steps:
      - stepId: one
        operationId: a
        successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]
        onSuccess: [{ name: go, type: goto, stepId: two }]
      - stepId: two
        operationId: b
        dependsOn: [one]
        onSuccess: [{ reference: $components.successActions.stop }]
      - stepId: three
        workflowId: sub
    x-journey:
      secrets: { token: { ref: env:TOKEN } }
      teardown: [{ step: two }]
      acceptanceCriteria: [{ id: A, text: t, severity: must, provenBy: [one#ok] }]
  - workflowId: sub
    steps: [{ stepId: only, operationId: a }]
`;

const SOURCE: JsonObject = {
  openapi: "3.1.0",
  paths: { "/a": { get: { operationId: "a", responses: {} }, post: { operationId: "b", responses: {} } } },
};

describe("each fault is reported once, at its place", () => {
  const files = (text: string): Files => ({
    texts: { "t.yaml": text, x: JSON.stringify(SOURCE) },
    file: "t.yaml",
  });

  test("and a valid document has none", async () => {
    expect(await expectSame(files(SOUND))).toEqual([]);
  });

  test.each([...TARGET_FAULTS, ...ACTION_FAULTS, ...VALUE_FAULTS])(
    "%s",
    async (_name, from, to, expected) => {
      expect(SOUND).toContain(from);
      const problems = await expectSame(files(SOUND.replace(from, () => to)));
      expect(problems.map(({ line, severity, code }) => `${line} ${severity} ${code}`)).toEqual(expected);
    },
  );
});
