import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JourneyResult, StepResult } from "@waymark/journeys/result/result.ts";
import { waymark } from "../../journeys/support/waymark.ts";
import type { HttpRequest, HttpResponse } from "../http-client.ts";
import { startJourneyTarget, thingsJourney } from "../journey-target.ts";
import { storeDocument } from "../journeys.ts";
import { type Stack, startStack } from "../stack.ts";

/** The journey of the results. */
export const PATH = "things.journey.yaml";
/** A secret of its environment. */
export const SECRET = "s3cret-value-of-the-environment";

interface Uploaded {
  runId: string;
  status: string;
  artifact: string;
  programId: string;
}

/** Changes a result before it is uploaded. */
export type Change = (result: JourneyResult) => void;

/** A stack with a journey, and the result of its run by the command. */
export interface UploadStack extends AsyncDisposable {
  stack: Stack;
  environmentId: string;
  documentId: string;
  passed: JourneyResult;
  /** The result of another run that went the same. */
  another(change?: Change): JourneyResult;
  upload(
    result: unknown,
    more?: Record<string, unknown>,
    options?: HttpRequest,
  ): Promise<HttpResponse<Uploaded>>;
}

export async function startUploadStack(): Promise<UploadStack> {
  const target = await startJourneyTarget();
  const stack = await startStack({ apiEnv: { JOURNEY_KEYS: `k1:${randomBytes(32).toString("base64")}` } });
  const files = { ...thingsJourney(), [PATH]: withAcceptance(thingsJourney()[PATH] ?? "") };
  const ids = new Map<string, string>();
  for (const [path, text] of Object.entries(files))
    ids.set(path, (await storeDocument(stack, { path, text })).id);
  const servers = { things: target.url };
  const created = await stack.http.post<{ id: string }>("/api/environments", { name: "test", servers });
  const environmentId = created.body.id;
  await stack.http.request("PUT", `/api/environments/${environmentId}/secrets/TOKEN`, {
    body: { value: SECRET, hosts: ["api.example.com"] },
  });
  const passed = await runOnce(files, servers);
  return {
    stack,
    environmentId,
    documentId: must(ids.get(PATH)),
    passed,
    another(change = () => undefined) {
      const result = structuredClone(passed);
      result.runId = randomUUID();
      change(result);
      return result;
    },
    upload: (result, more = { path: PATH }, options = {}) =>
      stack.http.post<Uploaded>("/api/journey-results", { result, ...more }, options),
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
      await target[Symbol.asyncDispose]();
    },
  };
}

async function runOnce(
  files: Record<string, string>,
  servers: Record<string, string>,
): Promise<JourneyResult> {
  const cwd = mkdtempSync(join(tmpdir(), "waymark-uploads-"));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  writeFileSync(join(cwd, "waymark.yaml"), JSON.stringify({ environments: { test: { servers } } }));
  const args = ["journey", "run", PATH, "--env", "test", "--input", "run=r", "--report", "json=result.json"];
  const ended = await waymark(args, { cwd });
  if (ended.exitCode !== 0) throw new Error(ended.stdout + ended.stderr);
  const parsed: JourneyResult | JourneyResult[] = JSON.parse(readFileSync(join(cwd, "result.json"), "utf8"));
  rmSync(cwd, { recursive: true });
  return Array.isArray(parsed) ? must(parsed[0]) : parsed;
}

function withAcceptance(text: string): string {
  return text
    .replace("[{ condition: $statusCode == 201 }]", "[{ x-id: made, condition: $statusCode == 201 }]")
    .replace(
      "x-journey: { teardown",
      "x-journey: { acceptanceCriteria: [{ id: AC-1, text: Makes things, severity: must, provenBy: [create#made] }, { id: AC-2, text: Open, severity: could, provenBy: [] }], teardown",
    );
}

/** @throws Error if it is undefined */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("it is not there");
  return value;
}

/** The first step with this id. */
export function stepOf(result: JourneyResult, id: string): StepResult {
  return must(result.steps.find((one) => one.id === id));
}
