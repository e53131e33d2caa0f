import { describe, expect, test } from "vitest";
import { redactClaim } from "@waymark/journeys/claim/redact-claim.ts";
import { verifyResult } from "@waymark/journeys/claim/verify-result.ts";
import { renderReport } from "@waymark/journeys/report/report.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { buildText } from "./support/build.ts";
import { documentText, play, SOURCE } from "./support/fake.ts";

const polling = (maxMs: number) => `
  - workflowId: main
    steps:
      - stepId: wait
        operationId: a
        x-journey: { poll: { until: "$response.body#/state == 'done'", everyMs: 100, maxMs: ${maxMs} } }`;

const RETRYING = `
  - workflowId: main
    steps:
      - stepId: one
        operationId: a
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure: [{ name: again, type: retry, retryAfter: 1, retryLimit: 3 }]`;

async function retried(): Promise<JourneyResult> {
  const { result } = await play({
    workflows: RETRYING,
    answer: (_request, n) => ({ status: n === 3 ? 200 : 500 + n, body: { n } }),
  });
  return result;
}

const bodiesOf = (result: JourneyResult) => {
  const evidence = result.steps[0]?.evidence;
  return [
    ...(evidence?.earlier ?? []).map(({ attempt, response }) => [attempt, response?.body]),
    ["last", evidence?.response?.body],
  ];
};

describe("the attempts of a step", () => {
  test("that was retried keep their requests and responses, with when each was sent", async () => {
    const result = await retried();
    expect(bodiesOf(result)).toEqual([
      [1, '{"n":1}'],
      [2, '{"n":2}'],
      ["last", '{"n":3}'],
    ]);
    expect(result.steps[0]?.attempts).toMatchObject([
      { n: 1, outcome: "retry", because: "again", startedAt: "2026-01-01T00:00:00.000Z" },
      { n: 2, outcome: "retry", because: "again", startedAt: "2026-01-01T00:00:01.000Z" },
      { n: 3, outcome: "passed", startedAt: "2026-01-01T00:00:02.000Z" },
    ]);
  });

  test("of a poll that takes long keep the first three and the last ones, and a note says how many are missing", async () => {
    const { result } = await play({
      workflows: polling(10_000),
      answer: (_request, n) => ({ status: 200, body: { n, state: n === 25 ? "done" : "waiting" } }),
    });
    const kept = result.steps[0]?.evidence?.earlier?.map(({ attempt }) => attempt);
    expect(kept).toEqual([1, 2, 3, 18, 19, 20, 21, 22, 23, 24]);
    expect(result.steps[0]?.attempts).toHaveLength(25);
    expect(result.steps[0]?.notes?.join(" ")).toContain("of 14 earlier attempts were left out");
  });

  test("show no secret that a later attempt reveals", async () => {
    const secret = "tok-4f9a1c77b2e84d30";
    const { result } = await play({
      workflows: RETRYING.replace(
        "        onFailure",
        "        outputs: { token: $response.body#/access_token }\n        onFailure",
      ),
      answer: (_request, n) =>
        n === 1
          ? { status: 500, body: { hint: `use ${secret}` } }
          : { status: 200, body: { access_token: secret } },
    });
    expect(result.steps[0]?.evidence?.earlier?.[0]?.response?.body).toBe('{"hint":"use [redacted]"}');
    expect(JSON.stringify(result)).not.toContain(secret);
  });
});

describe("the reports of a step that was retried", () => {
  test("HAR has an entry for each attempt, with its own time, status and body", async () => {
    const { entries } = JSON.parse(renderReport("har", [await retried()])).log;
    const shown = entries.map(
      (entry: { startedDateTime: string; response: { status: number }; comment: string }) => [
        entry.startedDateTime,
        entry.response.status,
        entry.comment.split("\n")[0],
      ],
    );
    expect(shown).toEqual([
      ["2026-01-01T00:00:00.000Z", 501, "one: attempt 1 of 3, retry"],
      ["2026-01-01T00:00:01.000Z", 502, "one: attempt 2 of 3, retry"],
      ["2026-01-01T00:00:02.000Z", 200, "one: passed"],
    ]);
  });

  test("CTRF has the attempts before the last one, and counts the step as flaky", async () => {
    const { summary, tests } = JSON.parse(renderReport("ctrf", [await retried()])).results;
    expect(summary).toMatchObject({ tests: 1, passed: 1, flaky: 1 });
    expect(tests[0]).toMatchObject({
      retries: 2,
      flaky: true,
      retryAttempts: [
        { attempt: 1, status: "failed", message: "Repeated by again.", start: Date.UTC(2026, 0, 1) },
        { attempt: 2, status: "failed", start: Date.UTC(2026, 0, 1, 0, 0, 1) },
      ],
    });
  });

  test("HTML has a section for each attempt", async () => {
    const html = renderReport("html", [await retried()]);
    expect(html.match(/Evidence of attempt \d/g)).toEqual(["Evidence of attempt 1", "Evidence of attempt 2"]);
    for (const n of [1, 2, 3]) expect(html).toContain(`{&quot;n&quot;:${n}}`);
  });
});

describe("an uploaded result of a step that was retried", () => {
  async function claimed(change: (result: JourneyResult) => void) {
    const built = await buildText(documentText({ workflows: RETRYING }), {
      file: "t.yaml",
      sources: { api: SOURCE },
    });
    if (!built.ok) throw new Error("not built");
    const result = structuredClone(await retried());
    change(result);
    return { artifact: built.artifact, result, verification: verifyResult(built.artifact, result) };
  }

  test.each([[[2, 1]], [[1, 1]], [[1, 3]]])(
    "is refused if its exchanges are of the attempts %j",
    async (attempts) => {
      const { verification } = await claimed(({ steps }) => {
        steps[0]?.evidence?.earlier?.forEach((exchange, at) => (exchange.attempt = attempts[at] ?? 0));
      });
      expect(verification).toMatchObject({
        ok: false,
        faults: [{ path: expect.stringMatching(/evidence\.earlier\[1\]\.attempt$/) }],
      });
    },
  );

  test("is stored without the credentials of an earlier attempt", async () => {
    const { artifact, result, verification } = await claimed(({ steps }) => {
      steps[0]?.evidence?.earlier?.[0]?.request.headers.push(["Authorization", "Bearer abcdef0123456789"]);
    });
    if (!verification.ok) throw new Error(JSON.stringify(verification));
    const { result: stored } = redactClaim(artifact, { result, steps: verification.steps, secrets: [] });
    expect(stored.steps[0]?.evidence?.earlier?.[0]?.request.headers.at(-1)).toEqual([
      "Authorization",
      "[redacted]",
    ]);
  });
});
