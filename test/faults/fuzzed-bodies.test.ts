import { request as httpRequest } from "node:http";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";
import { type FuzzedRequest, fuzzedRequest } from "./support/mutations.ts";
import { announceSeed, scaled, seed } from "@waymark/test-support/scale.ts";
import { inParallel, untilAllFinal } from "./support/submit.ts";

const MUTATIONS = scaled({ short: 600, long: 20_000 });

let stack: Stack;
beforeAll(async () => {
  announceSeed();
  stack = await startStack({ apiEnv: { RATE_LIMIT_KEY_PER_MINUTE: "1000000" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

interface RawAnswer {
  status: number;
  contentType: string;
  text: string;
}

/** Without an HTTP client that validates headers. */
function send({ body, headers }: FuzzedRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      new URL("/api/scans/ingest", stack.api.baseUrl),
      {
        method: "POST",
        timeout: 30_000,
        headers: { authorization: `Bearer ${stack.apiKey}`, "content-type": "application/json", ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"] ?? "",
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error("no answer within 30 s")));
    request.end(body);
  });
}

/** Returns what is wrong with a response, or null. */
function complaintAbout({ status, contentType, text }: RawAnswer): string | null {
  if (status === 201) return null;
  if (status < 400 || status >= 500) return `status ${status}`;
  if (!contentType.startsWith("application/json")) return `content type ${contentType}`;
  const parsed = ErrorResponse.safeParse(JSON.parse(text));
  return parsed.success ? null : `no ErrorResponse: ${parsed.error.message}`;
}

it(
  `${MUTATIONS} mutated requests: never a 5xx, never a crash, every refusal an ErrorResponse, every 201 persisted`,
  {
    timeout: 180_000 + MUTATIONS * 50,
  },
  async () => {
    const requests = fc.sample(fuzzedRequest, { seed, numRuns: MUTATIONS });
    const statuses: Record<number, number> = {};
    const complaints: string[] = [];
    await inParallel({ total: MUTATIONS, atOnce: 10 }, async (number) => {
      const request = requests[number] as FuzzedRequest;
      const answer = await send(request).catch((error: Error) => ({
        status: 0,
        contentType: "",
        text: error.message,
      }));
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const complaint = complaintAbout(answer);
      if (complaint !== null) {
        const body = request.body.toString("utf8").slice(0, 500);
        complaints.push(`${complaint}: ${answer.text} to ${JSON.stringify({ ...request, body })}`);
      }
    });
    await untilAllFinal(stack, { limitMs: 60_000 });
    const failed = await query<{ id: string; error_message: string }>(
      stack,
      "SELECT id, error_message FROM scan_runs WHERE status <> 'completed'",
    );
    recordFigures("Fuzzed bodies", {
      mutations: MUTATIONS,
      ...Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`answers ${status}`, count])),
      "5xx, crashes, or refusals in another shape": complaints.length,
      "accepted and not persisted": failed.length,
    });
    expect(complaints).toEqual([]);
    expect(failed).toEqual([]);
    // Some mutations are accepted, and some are refused.
    expect(statuses[201]).toBeGreaterThan(MUTATIONS / 50);
    expect(statuses[400]).toBeGreaterThan(MUTATIONS / 50);
    // Accepted scans can be read.
    expect((await stack.http.get("/api/services")).status).toBe(200);
    expect(stack.api.output()).not.toContain('"level":60');
  },
);
