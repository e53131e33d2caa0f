// Descriptions of many megabytes are read and compared by processes of their own.
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { descriptionOf } from "@waymark/test-support/descriptions.ts";
import { scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type ProcessStack, startProcessStack } from "@waymark/test-support/stack.ts";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";

const BYTES = scaled({ short: 4_000_000, long: 19_000_000 });
const SCHEMAS = 2_000;
/** An api that reads or compares the description itself answers once or twice meanwhile. */
const ANSWERS_MIN = 20;

let stack: ProcessStack;
beforeAll(async () => {
  stack = await startProcessStack({ workerEnv: { WORKER_RECONCILE_MS: "100" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const payload = scanPayload({ serviceName: randomUUID(), seed: randomUUID(), endpoints: 20 });

/** A description with many schemas, each of which an operation reaches. @param maxLength that of a property of each */
function largeDescription(maxLength: number): string {
  const properties = Math.floor(BYTES / SCHEMAS / 100);
  const schemaOf = (index: number) => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: properties }, (_, n) => [
        `property${n}`,
        {
          type: "string",
          maxLength: n === 0 ? maxLength : 100,
          description: `The property ${n} of the schema ${index}.`,
        },
      ]),
    ),
  });
  const schemas = Object.fromEntries(Array.from({ length: SCHEMAS }, (_, n) => [`Schema${n}`, schemaOf(n)]));
  const description = descriptionOf(payload.endpoints, { components: { schemas } });
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
  const all = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
  for (const [index, operation] of operations.entries())
    Object.assign(operation, {
      responses: {
        200: {
          description: "d",
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: Object.fromEntries(
                  all.filter((_, n) => n % operations.length === index).map((each, n) => [`p${n}`, each]),
                ),
              },
            },
          },
        },
      },
    });
  return JSON.stringify(description);
}

/** Counts how often the api says that it is alive until something is done. */
async function answersUntil<T>(work: Promise<T>): Promise<{ result: T; answers: number }> {
  const state = { isDone: false };
  let answers = 0;
  const done = work.finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) if ((await stack.http.get("/healthz")).status === 200) answers++;
  return { result: await done, answers };
}

async function describeRun(maxLength: number): Promise<{ scanRunId: string; answers: number }> {
  const { body } = await ingest(stack, payload);
  await waitForRun(stack, body.scanRunId);
  const text = largeDescription(maxLength);
  const put = stack.http.request("PUT", `/api/scan-runs/${body.scanRunId}/description`, {
    body: text,
    headers: { "content-type": "application/json" },
  });
  const { result, answers } = await answersUntil(put);
  expect(result.status).toBe(201);
  return { scanRunId: body.scanRunId, answers };
}

async function compared(scanRunId: string): Promise<ScanChanges> {
  for (;;) {
    const { body } = await stack.http.get<ScanChanges>(`/api/scan-runs/${scanRunId}/changes?limit=1`);
    if (body.comparison.status !== "pending") return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const isLinux = process.platform === "linux";

/** Returns how many processes of a service read documents. */
function readersOf({ pid }: { pid: number }): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return children.filter((child) =>
    readFileSync(`/proc/${child}/cmdline`, "utf8").includes("compiler-process"),
  ).length;
}

it(
  "are read and compared by processes of their own, while the api answers others",
  { timeout: 600_000 },
  async () => {
    const first = await describeRun(90);
    const second = await describeRun(91);
    // They are kept for a minute.
    const reading = isLinux ? readersOf(stack.api) : 1;
    const { result, answers } = await answersUntil(compared(second.scanRunId));
    expect(result.comparison).toMatchObject({
      status: "compared",
      against: first.scanRunId,
      counts: { breaking: SCHEMAS },
    });
    expect(Math.min(first.answers, second.answers, answers)).toBeGreaterThanOrEqual(ANSWERS_MIN);
    const comparing = isLinux ? readersOf(stack.worker) : 1;
    expect({ reading, comparing }).toEqual({ reading: 1, comparing: 1 });
  },
);
