import { expect, test } from "vitest";
import { play } from "./support/fake.ts";
import type { FakeRequest, Scenario } from "./support/fake.ts";

const VARS =
  "{ id: { generate: uuid }, n: { generate: integer }, at: { generate: date-time }, name: { generate: string }, own: { generate: uuid, seed: 7 } }";

/** Generated variables in two workflows, and a body whose parts need a boundary, sent twice. */
const scenario = (seed?: string): Scenario => ({
  workflows: `
  - workflowId: main
    x-journey: { vars: ${VARS} }
    steps:
      - stepId: form
        operationId: aPost
        requestBody: { contentType: multipart/form-data, payload: { id: "{$vars.id}", n: "{$vars.n}", at: "{$vars.at}" } }
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure: [{ name: again, type: retry, retryLimit: 1 }]
      - { stepId: sub, workflowId: other }
      - stepId: own
        operationId: bPost
        requestBody: { contentType: text/plain, payload: "{$vars.own}" }
  - workflowId: other
    x-journey: { vars: ${VARS} }
    steps:
      - { stepId: named, operationId: cPost, requestBody: { payload: { id: "{$vars.id}", name: "{$vars.name}" } } }`,
  answer: (_request, n) => ({ status: n === 1 ? 500 : 200, body: {} }),
  ...(seed === undefined ? {} : { options: { seed } }),
});

const bodies = (requests: FakeRequest[]) => requests.map(({ body }) => body);

test("a seed gives the same generated values and the same bytes on the wire", async () => {
  const first = await play(scenario());
  expect(first.result.seed).toMatch(/^[0-9a-f]{16}$/);
  const again = await play(scenario(first.result.seed));
  expect(again.result.seed).toBe(first.result.seed);
  expect(again.requests).toEqual(first.requests);
});

test("without one, each run has its own values and boundaries, except for a generator with a seed", async () => {
  const [first, second] = [
    bodies((await play(scenario())).requests),
    bodies((await play(scenario())).requests),
  ];
  expect(first).toHaveLength(4);
  for (const index of [0, 1, 2]) expect(first[index]).not.toBe(second[index]);
  expect(first[3]).toBe(second[3]);
});

test("workflows of one run, and attempts of one step, have different values", async () => {
  const { requests } = await play(scenario("s"));
  const ids = bodies(requests).map((body) => /[0-9a-f]{8}-[0-9a-f-]{27}(?=\r?\n|")/.exec(body ?? "")?.[0]);
  expect(ids[0]).not.toBe(ids[2]);
  const boundaries = requests.slice(0, 2).map(({ headers }) => headers["content-type"]);
  expect(boundaries[0]).not.toBe(boundaries[1]);
});
