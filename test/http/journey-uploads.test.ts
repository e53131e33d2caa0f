import { gzipSync } from "node:zlib";
import type { JourneyResult, StepResult } from "@waymark/journeys/result/result.ts";
import { seededRandom } from "@waymark/journeys/run/random.ts";
import type { JourneyRunSteps } from "@waymark/shared/journey-runs/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  must,
  PATH,
  SECRET,
  startUploadStack,
  stepOf,
  type UploadStack,
} from "@waymark/test-support/journey-uploads/stack.ts";

let world: UploadStack;
beforeAll(async () => {
  world = await startUploadStack();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("a result of a pipeline", () => {
  it("is refused until the server has built its program, and says how it gets there", async () => {
    const answer = await world.upload(world.another(), {});
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toMatchObject({ code: "artifact_unknown" });
    expect(errorOf(answer).message).toContain("Push the documents");
  });

  it("is stored as a claim, shown as every run, and counted", async () => {
    const ci = { system: "GitHub Actions", url: "https://ci.example/1", commit: "c0ffee", branch: "main" };
    const result = world.another();
    const answer = await world.upload(result, { ci, path: PATH });
    expect(answer.text).toContain(result.runId);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ runId: result.runId, status: "passed", programId: result.artifact });
    const run = await world.stack.http.get<{ startedAt: string; endedAt: string }>(
      `/api/journey-runs/${result.runId}`,
    );
    expect(run.body).toMatchObject({
      origin: "uploaded",
      status: "passed",
      journeyId: world.documentId,
      journeyPath: PATH,
      version: 1,
      environmentId: world.environmentId,
      stepCount: result.steps.length,
      ci,
      inputs: { run: "r" },
      kept: "evidence",
      startedAt: result.startedAt,
    });
    expect(Date.parse(run.body.endedAt)).toBeGreaterThanOrEqual(Date.parse(result.startedAt));
    const stored = await world.stack.http.get<JourneyResult>(`/api/journey-runs/${result.runId}/result`);
    expect(stored.body).toEqual({ ...result, steps: stored.body.steps });
    // But for the names of files, which are the server's.
    const withoutPlaces = (steps: readonly StepResult[]): unknown =>
      JSON.parse(JSON.stringify(steps), (name, value: unknown) =>
        name === "source" && typeof value === "object" ? undefined : value,
      );
    expect(withoutPlaces(stored.body.steps)).toEqual(withoutPlaces(result.steps));
    expect((await world.stack.http.get(`/api/journey-runs/${result.runId}/reports/junit`)).text).toContain(
      "<testsuite",
    );
    expect(
      await query(
        world.stack,
        "SELECT criterion_id, status FROM journey_run_criteria WHERE run_id = $1 ORDER BY 1",
        [result.runId],
      ),
    ).toEqual([
      { criterion_id: "AC-1", status: "proven" },
      { criterion_id: "AC-2", status: "unproven" },
    ]);
    const listed = await world.stack.http.get<{ runs: { id: string }[] }>(
      "/api/journey-runs?origin=uploaded",
    );
    expect(listed.body.runs.map(({ id }) => id)).toContain(result.runId);
    expect(
      await query(world.stack, "SELECT FROM journey_run_tickets WHERE run_id = $1", [result.runId]),
    ).toEqual([]);
  });

  it("is one run, however often it arrives, and its id is no other's", async () => {
    const result = world.another();
    const answers = await Promise.all([world.upload(result), world.upload(result), world.upload(result)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 201]);
    expect((await world.upload(result)).status).toBe(200);
    const changed = await world.upload({ ...result, ms: result.ms + 1 });
    expect(changed.status).toBe(409);
    expect(errorOf(changed)).toMatchObject({ code: "result_conflict" });
    expect(await query(world.stack, "SELECT FROM journey_runs WHERE id = $1", [result.runId])).toHaveLength(
      1,
    );
  });

  it("is listed by the time of its upload, page by page", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await world.upload(world.another())).body.runId);
    const found: string[] = [];
    let cursor = "";
    while (found.length < 3) {
      const page = await world.stack.http.get<{ runs: { id: string }[]; nextCursor: string }>(
        `/api/journey-runs?limit=1${cursor}`,
      );
      found.push(...page.body.runs.map(({ id }) => id));
      cursor = `&cursor=${page.body.nextCursor}`;
    }
    expect(found).toEqual(ids);
  });

  it("of a run that failed is stored as well", async () => {
    const result = world.another((one) => {
      one.status = "failed";
      const read = stepOf(one, "read");
      read.status = "failed";
      for (const assertion of read.assertions) assertion.status = "failed";
      for (const attempt of read.attempts) attempt.outcome = "failed";
    });
    expect((await world.upload(result)).status).toBe(201);
  });
});

describe("what is stored of an uploaded result", () => {
  it("has no secret of the environment, no credential and no key, wherever they stand", async () => {
    const apiKey = `wmk_a1B2c3D4e5F6_${"x".repeat(40)}`;
    const token = "password-of-the-tested-system";
    const aws = ["AKIA", "A1B2C3D4E5F6G7H8"].join("");
    const cookie = "session-of-somebody-else";
    const result = world.another((one) => {
      one.inputs["run"] = `r ${SECRET}`;
      const create = stepOf(one, "create");
      create.outputs["id"] = Buffer.from(SECRET).toString("base64");
      create.notes = [`seen ${aws}`];
      must(create.assertions[0]).actual = { deep: [apiKey] };
      must(create.evidence).request.url += `?password=${token}`;
      must(create.evidence).request.headers.push(["Authorization", `Bearer ${token}`]);
      must(must(create.evidence).response).headers.push(["Set-Cookie", `sid=${cookie}; Path=/`]);
      must(must(create.evidence).response).body = JSON.stringify({
        password: token,
        text: `again ${token} ${cookie}`,
      });
    });
    expect((await world.upload(result)).status).toBe(201);
    const stored = await world.stack.http.get(`/api/journey-runs/${result.runId}/result`);
    for (const text of [SECRET, Buffer.from(SECRET).toString("base64"), apiKey, token, aws, cookie])
      expect(stored.text).not.toContain(text);
    expect(stored.text).toContain("Values were left out");
    const run = await world.stack.http.get(`/api/journey-runs/${result.runId}`);
    expect(run.text).not.toContain(SECRET);
    const [secret] = await query<{ last_used_at: string | null }>(
      world.stack,
      "SELECT last_used_at FROM environment_secrets",
    );
    expect(secret?.last_used_at).toBeNull();
  });

  it("has the address of files and calls from the program, not from its uploader", async () => {
    const result = world.another((one) => {
      const { source } = must(stepOf(one, "read").assertions[0]);
      source.file = "/etc/passwd";
      source.line = 98_765;
    });
    expect((await world.upload(result)).status).toBe(201);
    const stored = await world.stack.http.get(`/api/journey-runs/${result.runId}/result`);
    expect(stored.text).not.toContain("/etc/passwd");
    expect(stored.text).not.toContain('"line":98765');
  });

  it("has ended when its uploader says, but not in the future", async () => {
    const result = world.another((one) => (one.startedAt = "2999-01-01T00:00:00.000Z"));
    expect((await world.upload(result)).status).toBe(201);
    const { body } = await world.stack.http.get<{ endedAt: string }>(`/api/journey-runs/${result.runId}`);
    expect(Date.parse(body.endedAt)).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it("fits: a result at the limit of its size, compressed, keeps 4 MiB of evidence", async () => {
    const result = world.another();
    const read = stepOf(result, "read");
    const at = result.steps.indexOf(read);
    const body = "b".repeat(16_384);
    const again = (n: number): StepResult => ({
      ...structuredClone(read),
      evidence: {
        ...structuredClone(must(read.evidence)),
        response: { ...must(must(read.evidence).response), body: `${n} ${body}` },
      },
    });
    result.steps.splice(at, 0, ...Array.from({ length: 440 }, (_, n) => again(n)));
    const operation = must(result.coverage.operations.find(({ path }) => path === read.operation?.path));
    result.coverage.operations
      .filter((one) => one.method === read.operation?.method && one.path === operation.path)
      .forEach((one) => (one.calls += 440));
    const text = JSON.stringify({ result, path: PATH });
    expect(text.length).toBeGreaterThan(7 * 1024 * 1024);
    const answer = await fetch(`${world.stack.api.baseUrl}/api/journey-results`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${world.stack.apiKey}`,
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body: new Uint8Array(gzipSync(text)),
    });
    expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)]);
    const [size] = await query<{ evidence: string; steps: number }>(
      world.stack,
      `SELECT sum(octet_length(evidence))::text AS evidence, count(*)::int AS steps FROM journey_run_steps WHERE run_id = $1`,
      [result.runId],
    );
    expect(size?.steps).toBe(result.steps.length);
    expect(Number(size?.evidence)).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(Number(size?.evidence)).toBeGreaterThan(3 * 1024 * 1024);
  });

  it("has no bodies where the environment stores none", async () => {
    const url = `/api/environments/${world.environmentId}`;
    const { body, headers } = await world.stack.http.get<Record<string, unknown>>(url);
    const put = (storesBodies: boolean, revision: string) =>
      world.stack.http.request("PUT", url, {
        headers: { "if-match": revision },
        body: { name: "test", servers: body["servers"], storesBodies },
      });
    const changed = await put(false, headers.get("etag") ?? "");
    expect([changed.status, changed.text]).toEqual([200, expect.any(String)]);
    const result = world.another();
    await world.upload(result);
    const { text } = await world.stack.http.get(`/api/journey-runs/${result.runId}/steps/0`);
    expect(text).toContain('"bodyBytes"');
    expect(text).not.toContain('"body"');
  });
});

describe("whatever a target answered can be read", () => {
  const DEEP = JSON.parse(`${'{"a":['.repeat(24)}1${"]}".repeat(24)}`) as unknown;
  const PROTO: unknown = JSON.parse(
    '{"__proto__": {"x": 1}, "constructor": {"prototype": null}, "": {"\\u0000": "\\ud800"}}',
  );
  const random = seededRandom("hostile answers");
  const PIECES = [
    "\0",
    "\uD800",
    "\uDC00x",
    "\u2028",
    "\u0085",
    "\u001B[2J",
    "]]>",
    "</script>",
    "\uFFFE",
    "ok",
  ];
  const pick = <T>(list: readonly T[]): T => must(list[Math.floor(random() * list.length)]);
  const text = () => Array.from({ length: 4 }, () => pick(PIECES)).join("");
  const value = (depth: number): unknown =>
    depth > 3 || random() < 0.3
      ? pick([text(), null, 1e308, true, PROTO, "", 0.1])
      : random() < 0.5
        ? [value(depth + 1), value(depth + 1)]
        : Object.fromEntries([
            [text(), value(depth + 1)],
            ["__proto__", value(depth + 1)],
          ]);
  const cases: unknown[] = ["\0", "\uD800", DEEP, PROTO, ...Array.from({ length: 6 }, () => value(0))];

  it.each(cases.map((hostile, n) => [n, hostile]))(
    "by steps, result and every report: %i",
    async (_n, hostile) => {
      const words = text();
      const result = world.another((one) => {
        const create = stepOf(one, "create");
        create.outputs["id"] = hostile;
        create.notes = [words];
        must(create.assertions[0]).actual = hostile;
        must(must(create.evidence).response).body = words;
        must(must(create.evidence).response).headers.push(["x-hostile", words]);
      });
      const uploaded = await world.upload(JSON.parse(JSON.stringify(result)));
      expect([uploaded.status, uploaded.text]).toEqual([201, expect.any(String)]);
      const read = async (of: string) => {
        const answer = await world.stack.http.get(`/api/journey-runs/${result.runId}/${of}`);
        expect([of, answer.status]).toEqual([of, 200]);
        return answer.text;
      };
      const written = JSON.stringify(hostile);
      const create = must((JSON.parse(await read("steps")) as JourneyRunSteps).steps[0]).result as StepResult;
      expect(JSON.stringify(create.outputs["id"])).toBe(written);
      expect(create.notes).toEqual([words]);
      expect(await read("steps/0")).toContain(JSON.stringify(words).slice(1, -1));
      const stored: JourneyResult = JSON.parse(await read("result"));
      expect(JSON.stringify(stepOf(stored, "create").outputs["id"])).toBe(written);
      for (const format of ["json", "html", "har", "ctrf"]) await read(`reports/${format}`);
      expect(await read("reports/junit")).not.toMatch(/[\0-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/);
    },
  );
});

describe("an artifact", () => {
  it("is read by its hash, byte for byte", async () => {
    const { body } = await world.upload(world.another());
    const answer = await world.stack.http.get<{ id: string }>(`/api/journey-artifacts/${body.artifact}`);
    expect(answer.status).toBe(200);
    expect(answer.body.id).toBe(world.passed.artifact);
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(answer.text));
    expect(Buffer.from(hash).toString("hex")).toBe(body.artifact);
    expect((await world.stack.http.get(`/api/journey-artifacts/${"0".repeat(64)}`)).status).toBe(404);
    expect((await world.stack.http.get("/api/journey-artifacts/x")).status).toBe(404);
  });
});

describe("an upload tells its uploader nothing of a secret that is not in it", () => {
  const guesses = [
    "wrong-value-of-the-environment",
    SECRET.slice(0, 12),
    SECRET.slice(0, -1),
    SECRET.toUpperCase(),
  ];
  const withTexts = (texts: readonly string[]) =>
    world.another((one) => {
      one.inputs["run"] = texts;
      stepOf(one, "create").outputs["id"] = texts;
      must(must(stepOf(one, "create").evidence).response).body = texts.join(" ");
    });
  const storedOf = async ({ runId }: JourneyResult) =>
    (await world.stack.http.get(`/api/journey-runs/${runId}/result`)).text;

  it("by its beginning, whatever follows it", async () => {
    const texts = guesses.flatMap((guess) => [
      guess,
      `${guess}…`,
      `"${guess}…"`,
      encodeURIComponent(`${guess}…`),
      btoa(guess),
    ]);
    const result = withTexts(texts);
    expect((await world.upload(result)).status).toBe(201);
    const stored: JourneyResult = JSON.parse(await storedOf(result));
    expect(stored.inputs["run"]).toEqual(texts);
    expect(stepOf(stored, "create").outputs["id"]).toEqual(texts);
  });

  it("by which of many guesses is replaced, or how often, and is recorded, counted and ended", async () => {
    const key = await createKey(world.stack, ["journey-results:create"]);
    const forms = [
      SECRET,
      btoa(SECRET),
      encodeURIComponent(SECRET),
      JSON.stringify({ a: SECRET }),
      Buffer.from(SECRET).toString("hex"),
    ];
    const stored: string[] = [];
    for (const form of forms) {
      const result = withTexts([...guesses, form]);
      expect((await world.upload(result, { path: PATH }, { key })).status).toBe(201);
      stored.push((await storedOf(result)).replaceAll(result.runId, "").replaceAll(/"endedAt":"[^"]*"/g, ""));
    }
    expect(new Set(stored).size).toBe(1);
    for (const guess of guesses) expect(stored[0]).not.toContain(guess);
    // Neither a result with the secret nor one without it is stored now, so the refusal tells nothing.
    for (const texts of [guesses, [SECRET]]) {
      const refused = await world.upload(withTexts(texts), { path: PATH }, { key });
      expect(errorOf(refused)).toMatchObject({ status: 429, code: "quota_exceeded" });
    }
    expect((await world.upload(world.another())).status).toBe(201);
    const events = async (action: string) =>
      (
        await world.stack.http.get<{
          auditEvents: { actorKeyId: string; details: Record<string, unknown> }[];
        }>(`/api/audit-events?action=${action}`)
      ).body.auditEvents;
    expect((await events("journey_result.secret_found")).length).toBeGreaterThanOrEqual(5);
    expect(await events("rate_limit.exceeded")).toContainEqual(
      expect.objectContaining({
        details: expect.objectContaining({ limit: "uploadedWithSecretPerHourMaxOfKey" }),
      }),
    );
  });

  it("and a refused one is recorded", async () => {
    const result = world.another((one) => (one.status = "failed"));
    expect(errorOf(await world.upload(result))).toMatchObject({ code: "result_mismatch" });
    const { text } = await world.stack.http.get("/api/audit-events?action=api_key.use_denied");
    expect(text).toContain("result_mismatch");
  });
});

it("an organization uploads up to 600 results an hour", async () => {
  const [run] = await query<{ id: string }>(
    world.stack,
    "SELECT id FROM journey_runs WHERE origin = 'uploaded' LIMIT 1",
  );
  await query(
    world.stack,
    `INSERT INTO journey_runs
     SELECT n.* FROM journey_runs r CROSS JOIN generate_series(1, 600) s
     CROSS JOIN LATERAL jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'seed', s::text, 'status', 'queued',
       'result_hash', NULL, 'ended_at', NULL, 'outcome_digest', NULL)) n WHERE r.id = $1`,
    [run?.id],
  );
  const answer = await world.upload(world.another());
  expect(errorOf(answer)).toMatchObject({ status: 429, code: "quota_exceeded" });
});
