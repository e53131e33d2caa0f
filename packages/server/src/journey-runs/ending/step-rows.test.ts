import type { JourneyResult, StepResult, StepStatus } from "@waymark/journeys/result/result.ts";
import { describe, expect, it } from "vitest";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { endingOf, RESULT_HEAD_BYTES_MAX } from "./run-ending.ts";
import { createStepRows, STEP_BYTES_MAX, type StepRow, stepRows } from "./step-rows.ts";

const BODY = "b".repeat(JOURNEY_RUN_LIMITS.evidenceBodyCharsMax);

function step(
  id: string,
  {
    status = "passed",
    body = BODY,
    value = "v",
    headers = 1,
  }: { status?: StepStatus; body?: string; value?: string; headers?: number } = {},
): StepResult {
  return {
    id,
    phase: "main",
    status,
    ms: 1,
    attempts: [{ n: 1, ms: 1, outcome: status === "passed" ? "passed" : "failed" }],
    assertions: [
      {
        id: "ok",
        type: "simple",
        condition: "$statusCode == 200",
        status: status === "passed" ? "passed" : "failed",
        actual: value,
        expected: 200,
        source: { file: "a.yaml", line: 1, from: "base" },
      },
    ],
    contract: [],
    outputs: { value },
    evidence: {
      request: { method: "GET", url: "https://a.example/", headers: [], bodyBytes: 0 },
      response: {
        status: 200,
        headers: Array.from({ length: headers }, (_, n): [string, string] => [`x-${n}`, "h".repeat(4_096)]),
        body,
        bodyBytes: body.length,
        ms: 1,
      },
      truncated: false,
      redactions: 0,
    },
  };
}

const bytes = (rows: readonly StepRow[], of: "result" | "evidence") =>
  rows.reduce((sum, row) => sum + Buffer.byteLength(row[of] ?? ""), 0);
const hasBody = ({ evidence }: StepRow) => evidence?.includes(BODY) === true;
const hasValue = ({ result }: StepRow) => result.includes('"outputs":{"value"');

describe("the steps of a run as they are stored", () => {
  it("give up the exchanges of earlier attempts before the body of the last one", () => {
    const [large] = [step("a", { status: "failed" })];
    const { evidence } = large;
    if (evidence === undefined) throw new Error("no evidence");
    const long = "l".repeat(STEP_BYTES_MAX.evidence);
    const earlier = [{ ...evidence, attempt: 1, request: { ...evidence.request, body: long } }];
    const [row] = stepRows([{ ...large, evidence: { ...evidence, earlier } }], { storesBodies: true });
    expect(row && hasBody(row)).toBe(true);
    expect(JSON.parse(row?.evidence ?? "")).toMatchObject({ truncated: true });
    expect(row?.evidence).not.toContain("earlier");
  });

  it("have everything of an ordinary run, and no bodies where the environment stores none", () => {
    const steps = [step("a"), step("b", { status: "failed" })];
    const [a, b] = stepRows(steps, { storesBodies: true });
    expect({ ...JSON.parse(a?.result ?? ""), evidence: JSON.parse(a?.evidence ?? "") }).toEqual(steps[0]);
    expect(b?.status).toBe("failed");
    const [bare] = stepRows(steps, { storesBodies: false });
    expect(JSON.parse(bare?.evidence ?? "")).toMatchObject({
      truncated: true,
      response: { bodyBytes: BODY.length },
    });
    expect(bare?.evidence).not.toContain("bbbb");
  });

  it("hold 4 MiB of evidence, of which the bodies of passed steps give way first", () => {
    const steps = [
      ...Array.from({ length: 400 }, (_, n) => step(`passed${n}`)),
      ...Array.from({ length: 100 }, (_, n) => step(`failed${n}`, { status: "failed" })),
    ];
    const rows = stepRows(steps, { storesBodies: true });
    expect(bytes(rows, "evidence")).toBeLessThanOrEqual(STEP_BYTES_MAX.evidence);
    expect(bytes(rows, "evidence")).toBeGreaterThan(STEP_BYTES_MAX.evidence * 0.9);
    expect(rows.slice(400).every(hasBody)).toBe(true);
    const kept = rows.slice(0, 400).filter(hasBody);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThan(300);
    // In the order of the run.
    expect(rows.map(({ seq }) => seq)).toEqual(steps.map((_, seq) => seq));
  });

  it("leave out evidence whose headers alone are too much", () => {
    const rows = stepRows(
      Array.from({ length: 30 }, (_, n) => step(`s${n}`, { headers: 100 })),
      { storesBodies: true },
    );
    expect(bytes(rows, "evidence")).toBeLessThanOrEqual(STEP_BYTES_MAX.evidence);
    expect(rows.filter(({ evidence }) => evidence === null).length).toBeGreaterThan(0);
  });

  it("lose values before outcomes, at last all but their status, and stay below the limit of a result", () => {
    const steps = Array.from({ length: 1_100 }, (_, n) =>
      step(`s${n}`, { value: "v".repeat(4_096), status: n % 2 === 0 ? "passed" : "failed", body: "" }),
    );
    const rows = stepRows(steps, { storesBodies: true });
    expect(rows.map(({ status }) => status)).toEqual(steps.map(({ status }) => status));
    const full = rows.filter(hasValue);
    expect(full.length).toBeGreaterThan(100);
    expect(full.every(({ status }) => status === "failed")).toBe(true);
    for (const { result } of rows.filter((row) => !hasValue(row)))
      expect(JSON.parse(result)).toMatchObject({ outputs: {}, notes: [expect.stringContaining("left out")] });
    const total = bytes(rows, "result") + bytes(rows, "evidence") + RESULT_HEAD_BYTES_MAX;
    expect(total).toBeLessThanOrEqual(JOURNEY_RUN_LIMITS.resultBytesMax);
  });

  it("are sent as they end, and again only where the end of the run changes them", () => {
    const steps = Array.from({ length: 200 }, (_, n) => step(`s${n}`));
    const rows = createStepRows({ storesBodies: true, known: [] });
    const sent = steps.map((one) => rows.take(one));
    // Half is left for steps that may fail later.
    expect(bytes(sent, "evidence")).toBeLessThanOrEqual(STEP_BYTES_MAX.evidence / 2);
    const changed = rows.changed(steps);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.every(hasBody)).toBe(true);
    const final = sent.map((row) => changed.find(({ seq }) => seq === row.seq) ?? row);
    expect(final).toEqual(stepRows(steps, { storesBodies: true }));
    expect(rows.changed(steps.slice(0, 10))).toEqual([]);
  });
});

it("the rest of a result loses its values where it is too large, and keeps its status", () => {
  const result: JourneyResult = {
    schema: "journey-result/1",
    runId: "r",
    artifact: "sha256:0",
    seed: "s",
    status: "passed",
    journey: { id: "j", title: "J", version: "1", overlays: [] },
    where: { runner: "cloud" },
    startedAt: "2026-01-01T00:00:00.000Z",
    ms: 1,
    inputs: { a: "i".repeat(RESULT_HEAD_BYTES_MAX) },
    steps: [step("a")],
    acceptance: [{ id: "AC-1", text: "t", severity: "must", status: "proven", by: ["a#ok"] }],
    coverage: { operations: [], notInInventory: [{ method: "GET", url: "u", calls: 1 }] },
    outputs: {},
    teardown: { status: "none" },
    contract: { status: "none", strict: false, failures: 0 },
  };
  const short = endingOf(result, { steps: [] });
  expect(JSON.parse(short.result)).toMatchObject({
    status: "passed",
    inputs: {},
    acceptance: [{ id: "AC-1" }],
  });
  expect(short).toMatchObject({
    stepCount: 1,
    passedStepCount: 1,
    criteria: [{ id: "AC-1", status: "proven" }],
  });
  const many = Array.from({ length: 20_000 }, (_, n) => ({
    method: "GET",
    url: "u".repeat(300) + n,
    calls: 1,
  }));
  const least = endingOf({ ...result, coverage: { operations: [], notInInventory: many } }, { steps: [] });
  expect(Buffer.byteLength(least.result)).toBeLessThanOrEqual(RESULT_HEAD_BYTES_MAX);
  expect(JSON.parse(least.result)).toMatchObject({ status: "passed", teardown: { status: "none" } });
});
