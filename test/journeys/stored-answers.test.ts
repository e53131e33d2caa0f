import { expect, test } from "vitest";
import { stepRows } from "@waymark/server/journey-runs/ending/step-rows.ts";
import { play } from "./support/fake.ts";

const deep = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;

/** Answers as a target sends them, and what the output of the whole body is in the result. */
const ANSWERS: [name: string, body: string, shown: unknown][] = [
  ["NUL", String.raw`{"a":"\u0000"}`, { a: "\0" }],
  ["a lone surrogate", String.raw`{"\ud800":"\udc00"}`, { "\uD800": "\uDC00" }],
  ["__proto__", '{"__proto__":{"x":1}}', JSON.parse('{"__proto__":{"x":1}}')],
  ["32 levels", deep(32), JSON.parse(deep(32))],
  ["50 levels, as text", deep(50), deep(50)],
  ["400 levels, as text", deep(400), deep(400)],
];

test.each(ANSWERS)(
  "a run keeps an answer with %s as it was, in a form that can be stored",
  async (_name, body, shown) => {
    const { result } = await play({
      workflows:
        "  - { workflowId: main, steps: [{ stepId: s, operationId: a, outputs: { o: $response.body }, successCriteria: [{ condition: $response.body != null }] }], outputs: { o: $steps.s.outputs.o } }",
      answer: () => ({ status: 200, body }),
    });
    expect(result.status).toBe("passed");
    const [row] = stepRows(result.steps, { storesBodies: true });
    const { outputs, assertions, notes } = JSON.parse(row?.result ?? "") as (typeof result.steps)[number];
    for (const value of [outputs["o"], assertions[0]?.actual, result.outputs["o"]])
      expect(JSON.stringify(value)).toBe(JSON.stringify(shown));
    expect(notes).toEqual(
      typeof shown === "string"
        ? ['Nested deeper than 32 levels, so shown as JSON text: assertion "1", output "o".']
        : undefined,
    );
    // As Postgres takes a text: no NUL, and valid UTF-8.
    for (const text of [row?.result ?? "", row?.evidence ?? ""]) {
      expect(text.includes("\0")).toBe(false);
      expect(text.isWellFormed()).toBe(true);
    }
    expect(JSON.parse(row?.evidence ?? "").response.body).toBe(body);
  },
);
