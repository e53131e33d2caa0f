import { expect, test } from "vitest";
import { canonicalJson } from "@waymark/journeys/compile/canonical.ts";
import { comparable, outcomeDigest } from "@waymark/journeys/result/comparable.ts";
import { play } from "./support/fake.ts";
import type { FakeAnswer, Scenario } from "./support/fake.ts";

const scenario = (answer: Scenario["answer"], runner: "cli" | "cloud" = "cli"): Scenario => ({
  workflows: `
  - workflowId: main
    steps:
      - stepId: one
        operationId: a
        successCriteria: [{ x-id: ok, condition: $response.body#/n > 0 }]
        outputs: { n: $response.body#/n }
        onFailure: [{ name: again, type: retry, retryLimit: 2 }]
      - { stepId: two, operationId: b, x-journey: { poll: { until: $statusCode == 200, everyMs: 10, maxMs: 100 } } }
    x-journey:
      acceptanceCriteria: [{ id: A, text: It counts, severity: must, provenBy: [one#ok] }]`,
  answer,
  options: { runner },
});

const answers =
  (n: number, headers: Record<string, string> = {}): Scenario["answer"] =>
  () => ({ status: 200, body: { n }, headers });

test("results that differ only in ids, times and runner are equal", async () => {
  const first = await play(scenario(answers(1, { date: "Mon, 23 Nov 2026 10:00:00 GMT" })));
  const second = await play(scenario(answers(1, { Date: "Tue, 24 Nov 2026 10:00:00 GMT" }), "cloud"));
  expect(second.result).not.toEqual(first.result);
  expect(canonicalJson(comparable(second.result))).toBe(canonicalJson(comparable(first.result)));
  expect(canonicalJson(comparable(first.result))).not.toMatch(/"ms"|startedAt|runId|"seed"|"runner"|2026/);
});

test("another value makes a result unequal, but not its outcome", async () => {
  const first = (await play(scenario(answers(1)))).result;
  const second = (await play(scenario(answers(2)))).result;
  expect(comparable(second)).not.toEqual(comparable(first));
  expect(outcomeDigest(second)).toBe(outcomeDigest(first));
  expect(outcomeDigest(first)).toMatch(/^sha256:[0-9a-f]{64}$/);
});

const after =
  (bad: number, answer: FakeAnswer): Scenario["answer"] =>
  (_request, n) =>
    n <= bad ? answer : { status: 200, body: { n: 1 } };

test.each<[string, Scenario["answer"]]>([
  ["a retry", after(1, { status: 200, body: { n: 0 } })],
  ["a failure", after(9, { status: 200, body: { n: 0 } })],
  ["another status", after(1, { status: 201, body: { n: 1 } })],
  ["no answer", after(9, "refused")],
])("%s is another outcome", async (_name, answer) => {
  const usual = (await play(scenario(answers(1)))).result;
  expect(outcomeDigest((await play(scenario(answer))).result)).not.toBe(outcomeDigest(usual));
});

test("the number of polls is not part of the outcome", async () => {
  const slow =
    (rounds: number): Scenario["answer"] =>
    (_request, n) => ({ status: n > 1 && n <= 1 + rounds ? 202 : 200, body: { n: 1 } });
  const [two, three] = [await play(scenario(slow(2))), await play(scenario(slow(3)))];
  expect(two.requests).toHaveLength(4);
  expect(outcomeDigest(three.result)).toBe(outcomeDigest(two.result));
});
