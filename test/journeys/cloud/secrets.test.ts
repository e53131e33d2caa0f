import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { type OtlpCollector, startOtlpCollector } from "@waymark/test-support/otlp-collector.ts";
import { isLong, scaled } from "@waymark/test-support/scale.ts";
import { encodingsOf } from "@waymark/test-support/secret-encodings.ts";
import { dumpStack, type SearchedText } from "@waymark/test-support/secret-search.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  type ProcessStack,
  QUEUES,
  type QueueName,
  startProcessStack,
  startWorkerProcess,
} from "@waymark/test-support/stack.ts";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { encodingsOf as formsOfServers } from "../support/secret.ts";
import { type SecretTarget, startSecretTarget } from "./support/secret-target.ts";

const random = () => randomBytes(24).toString("base64").replaceAll(/\W/g, "x");
const CANARIES = {
  /** The environment's secret, which the target sends back. */
  password: random(),
  /** Obtained from the target under a neutral name, and sent as a credential later. */
  ticket: random(),
  /** Obtained under the name of a credential. */
  access_token: random(),
  cookie: random(),
};
const FORMS = Object.entries(CANARIES).flatMap(([name, canary]) =>
  [
    ...[...encodingsOf(canary)].flatMap(([encoding, forms]) =>
      forms.map((form) => [encoding, form] as const),
    ),
    ...Object.entries(formsOfServers(canary)),
  ].map(([encoding, form]) => ({ name, encoding, form })),
);
/** All of them in one search: the heap of the api is large. */
const anyForm = new RegExp(FORMS.map(({ form }) => form.replaceAll(/\W/g, String.raw`\$&`)).join("|"));
const QUEUES_HERE: readonly QueueName[] = scaled({ short: ["redis"], long: [...QUEUES] });

const head = (title: string) => `arazzo: 1.1.0
info: { title: ${title}, version: 1.0.0 }
sourceDescriptions: []
workflows:
  - workflowId: main
    inputs: { type: object, properties: { password: { type: string } } }
    x-journey: { secrets: { password: { ref: env:PASSWORD } }, teardown: [{ step: logout }] }
    steps:`;
const JOURNEY = (url: string) => `${head("Login")}
      - stepId: login
        x-operation: { method: post, url: "${url}/login" }
        parameters: [{ name: X-Api-Key, in: header, value: $inputs.password }]
        requestBody: { contentType: application/json, payload: { user: u, password: $inputs.password } }
        outputs: { ticket: $response.body#/ticket, all: $response.body, cookie: $response.header.set-cookie, text: "<{$response.body#/ticket}>" }
      - stepId: read
        x-operation: { method: post, url: "${url}/echo?q={$steps.login.outputs.ticket}" }
        parameters: [{ name: Authorization, in: header, value: "Bearer {$steps.login.outputs.ticket}" }, { name: sid, in: cookie, value: $steps.login.outputs.cookie }]
        successCriteria: [{ x-id: regex, context: $response.body, type: regex, condition: "^nothing$" }, { x-id: path, context: $response.body, type: jsonpath, condition: "$[?@.nothing == 1]" }]
        outputs: { body: $response.body, head: $response.header.x-echo }
      - { stepId: logout, x-operation: { method: post, url: "${url}/logout/{$inputs.password}" } }
    outputs: { all: $steps.login.outputs.all, body: $steps.read.outputs.body }
`;
const HEAD_ONLY = head("Pieces").replace(", teardown: [{ step: logout }]", "");
const step = (id: string, more: string) =>
  `\n      - { stepId: ${id}, ${more}, successCriteria: [{ condition: $statusCode == 200 }] }`;
/** Sends the secret to a host of the environment that the secret is not for. */
const FOREIGN = (url: string, how: string) =>
  `${head("Foreign").replace(", teardown: [{ step: logout }]", "")}${step(
    "send",
    `x-operation: { method: post, url: "${url}/${how === "path" ? "{$inputs.password}" : ""}" }${
      {
        path: "",
        header: ', parameters: [{ name: X-Key, in: header, value: "Key {$inputs.password}" }]',
        query: ", parameters: [{ name: q, in: query, value: $inputs.password }]",
        body: ', requestBody: { contentType: application/json, payload: { a: [{ b: "x {$inputs.password}" }] } }',
        form: ", requestBody: { contentType: application/x-www-form-urlencoded, payload: { a: $inputs.password } }",
      }[how]
    }`,
  )}\n`;

describe.each(QUEUES_HERE)("secrets of runs, with the queue on %s", (queue) => {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-heap-"));
  const answers: SearchedText[] = [];
  const metricsPorts: number[] = [];
  let target: SecretTarget;
  let foreign: SecretTarget;
  let collector: OtlpCollector;
  let stack: ProcessStack;
  let environmentId: string;

  beforeAll(async () => {
    target = await startSecretTarget(CANARIES);
    foreign = await startSecretTarget(CANARIES);
    collector = await startOtlpCollector();
    for (let n = 0; n < 2; n++) metricsPorts.push(await findFreePort());
    const env = { LOG_LEVEL: "trace", OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    stack = await startProcessStack({
      queue,
      apiEnv: {
        ...env,
        METRICS_PORT: String(metricsPorts[0]),
        NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`,
      },
      workerEnv: {
        ...env,
        METRICS_PORT: String(metricsPorts[1]),
        WORKER_ROLES: "journeys",
        JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port},127.0.0.1:${foreign.port}`,
      },
    });
    const created = await stack.http.post<{ id: string }>("/api/environments", {
      name: "staging",
      servers: {},
      allowedHosts: [`127.0.0.1:${target.port}`, `127.0.0.1:${foreign.port}`],
    });
    environmentId = created.body.id;
    const set = await stack.http.request("PUT", `/api/environments/${environmentId}/secrets/PASSWORD`, {
      body: { value: CANARIES.password, hosts: [`127.0.0.1:${target.port}`] },
    });
    if (set.status !== 204) throw new Error(set.text);
  });
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    for (const one of [target, foreign, collector]) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  async function get(url: string): Promise<string> {
    const answer = await stack.http.get(url);
    answers.push({ place: `GET ${url}`, text: JSON.stringify([...answer.headers]) + answer.text });
    return answer.text;
  }

  async function start(file: string, text: string): Promise<string> {
    await storeDocument(stack, { path: file, text });
    const started = await stack.http.post<{ runId: string }>("/api/journey-runs", {
      path: file,
      environmentId,
    });
    if (started.status !== 202) throw new Error(started.text);
    return started.body.runId;
  }

  interface Row {
    status: string;
    error: { code: string; message: string } | null;
  }

  async function ended(runId: string): Promise<Row> {
    const run = `/api/journey-runs/${runId}`;
    await expect
      .poll(() => get(run), { timeout: 60_000 })
      .toMatch(/"status":"(passed|failed|error|aborted)"/);
    return JSON.parse(await get(run)) as Row;
  }

  function find(texts: readonly SearchedText[]): string[] {
    return texts.flatMap(({ place, text }) => {
      // Postgres shows a row with its backslashes doubled.
      const shown = text.includes("\\\\") ? text.replaceAll("\\\\", "\\") : text;
      if (!anyForm.test(text) && !anyForm.test(shown)) return [];
      return FORMS.filter(({ form }) => text.includes(form) || shown.includes(form)).map(
        ({ name, encoding }) => `${name}, ${encoding}: ${place}`,
      );
    });
  }

  async function everything(): Promise<SearchedText[]> {
    const scrapes = await Promise.all(metricsPorts.map(scrape));
    return [
      ...answers,
      ...(await dumpStack(stack)),
      ...scrapes.map(({ text }) => ({ place: "metrics", text })),
      { place: "traces", text: JSON.stringify(collector.spans()) },
    ];
  }

  /** In the long form: writing and searching it takes ten seconds. */
  async function heapOfApi(): Promise<SearchedText[]> {
    if (!isLong) return [];
    process.kill(stack.api.pid, "SIGUSR2");
    const snapshot = () => readdirSync(folder).find((file) => file.endsWith(".heapsnapshot")) ?? "";
    await expect.poll(snapshot, { timeout: 60_000 }).not.toBe("");
    // Requests are answered when the file is complete.
    await stack.http.get("/api/journeys");
    const text = readFileSync(path.join(folder, snapshot()), "utf8");
    if (!text.includes("journey_runs")) throw new Error("this is no heap of the api");
    return [{ place: "the heap of the api", text }];
  }

  it("are sent, obtained, sent back in every form, and found nowhere: during the run, after it, in the heap of the api", async () => {
    const release = Promise.withResolvers<void>();
    target.held = release.promise;
    const runId = await start("login.journey.yaml", JOURNEY(target.url));
    await expect.poll(() => target.requests.length, { timeout: 60_000 }).toBe(2);
    const [login, read] = target.requests;
    expect(login?.headers["x-api-key"]).toBe(CANARIES.password);
    expect(login?.body).toContain(CANARIES.password);
    expect(read?.headers.authorization).toBe(`Bearer ${CANARIES.ticket}`);
    // The state for another worker holds the ticket.
    const sealed = await query<{ checkpoint: Buffer | null }>(
      stack,
      "SELECT checkpoint FROM journey_run_tickets WHERE checkpoint IS NOT NULL",
    );
    expect(sealed).toHaveLength(1);
    expect(find(await everything())).toEqual([]);
    release.resolve();
    target.held = undefined;

    expect(await ended(runId)).toMatchObject({ status: "failed" });
    for (const of of ["steps", "steps/0", "steps/1", "result", "reports/json", "reports/junit"])
      await get(`/api/journey-runs/${runId}/${of}`);
    for (const format of ["html", "har", "ctrf"]) await get(`/api/journey-runs/${runId}/reports/${format}`);
    expect(answers.at(-4)?.text).toContain("[redacted]");
    expect(answers.map(({ text }) => text).join("\n")).toContain("ordinary text");
    expect(find(await everything())).toEqual([]);
    expect(await query(stack, "SELECT FROM journey_run_tickets")).toEqual([]);

    expect(find(await heapOfApi())).toEqual([]);
  });

  it("would be found in each of these forms", () => {
    for (const { name, encoding, form } of FORMS)
      expect(find([{ place: "here", text: `x${form}x` }])).toContain(`${name}, ${encoding}: here`);
    expect(find([{ place: "here", text: random() }])).toEqual([]);
  });

  it.each(["path", "header", "query", "body", "form"])("never reach another host, in the %s", async (how) => {
    const runId = await start(`foreign-${how}.journey.yaml`, FOREIGN(foreign.url, how));
    const { status, error } = await ended(runId);
    expect(status).toBe("error");
    expect(error?.code).toBe("forbidden");
    expect(error?.message).toContain("PASSWORD is not for");
    expect(foreign.requests).toEqual([]);
    expect(find(await everything())).toEqual([]);
  });

  it.each([
    ["a selector", 'outputs: { o: { context: $request.body, selector: "substring(., 2, 3)", type: xpath } }'],
    ["a pattern", "successCriteria: [{ context: $request.body, type: regex, condition: ^a }]"],
    ["an address", 'outputs: { o: { context: $url, selector: "substring(., 2, 3)", type: xpath } }'],
  ])("make a journey that looks into them by %s not compile", async (how, uses) => {
    const file = `looks-${how.split(" ").at(-1)}.journey.yaml`;
    const send = `x-operation: { method: post, url: "${target.url}/echo?q={$inputs.password}" }, requestBody: { contentType: application/json, payload: { a: $inputs.password } }, ${uses}`;
    await storeDocument(stack, { path: file, text: `${HEAD_ONLY}\n      - { stepId: send, ${send} }\n` });
    const refused = await stack.http.post("/api/journey-runs", { path: file, environmentId });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/looks into a secret|tells of a secret/);
  });

  it("are hidden from selectors and conditions in a response that repeats them", async () => {
    const pieces = `x-operation: { method: post, url: "${target.url}/echo" }
        parameters: [{ name: X-Api-Key, in: header, value: $inputs.password }]
        successCriteria: [{ x-id: starts, context: $response.body, type: regex, condition: "${CANARIES.password.slice(0, 6)}" }, { x-id: order, condition: "$response.body#/headers/x-api-key <= '[redacted]' && $response.body#/headers/x-api-key >= '[redacted]'" }]
        outputs: { o: { context: $response.body, selector: "$.headers[?match(@, '${CANARIES.password.slice(0, 4)}.*')]", type: jsonpath }, p: { context: $response.header.x-echo, selector: "substring(., 1, 30)", type: xpath } }`;
    const runId = await start(
      "pieces.journey.yaml",
      `${HEAD_ONLY}\n      - stepId: send\n        ${pieces}\n`,
    );
    expect(await ended(runId)).toMatchObject({ status: "failed" });
    const [{ result }] = JSON.parse(await get(`/api/journey-runs/${runId}/steps`)).steps;
    expect(result.outputs.o).toBe(null);
    expect(result.assertions.map(({ status }: { status: string }) => status)).toEqual(["failed", "passed"]);
    expect(JSON.stringify(result.outputs)).not.toContain(btoa(CANARIES.password).slice(0, 8));
  });

  it("are the environment's and nothing of the process: DATABASE_URL and JOURNEY_KEYS are none", async () => {
    for (const name of ["DATABASE_URL", "JOURNEY_KEYS", "PATH", "NODE_OPTIONS"]) {
      const file = `${name}.journey.yaml`;
      await storeDocument(stack, {
        path: file,
        text: JOURNEY(target.url).replace("env:PASSWORD", `env:${name}`),
      });
      const refused = await stack.http.post("/api/journey-runs", { path: file, environmentId });
      expect(errorOf(refused)).toMatchObject({ code: "secret_missing" });
    }
    // Nor where the secret goes after the run was accepted.
    const other = await stack.http.request("PUT", `/api/environments/${environmentId}/secrets/DATABASE_URL`, {
      body: { value: random(), hosts: [`127.0.0.1:${target.port}`] },
    });
    expect(other.status).toBe(204);
    await stack.worker.stop();
    const before = target.requests.length;
    const file = "DATABASE_URL.journey.yaml";
    const started = await stack.http.post<{ runId: string }>("/api/journey-runs", {
      path: file,
      environmentId,
    });
    await query(stack, "DELETE FROM environment_secrets WHERE name = 'DATABASE_URL'");
    await using worker = await startWorkerProcess({
      databaseUrl: stack.databaseUrl,
      redisUrl: stack.redisUrl,
      env: { WORKER_ROLES: "journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
    });
    expect(await ended(started.body.runId)).toMatchObject({
      status: "error",
      error: { code: "missing-secret" },
    });
    // The worker logs it after it has stored the end.
    await expect.poll(() => worker.output()).toContain("a journey has run");
    expect(target.requests).toHaveLength(before);

    // A value that was moved into another row does not open, and the run says whose it is.
    await query(stack, "UPDATE environment_secrets SET hosts = $1 WHERE name = 'PASSWORD'", [
      [`127.0.0.1:${target.port}`, `127.0.0.1:${foreign.port}`],
    ]);
    const moved = await stack.http.post<{ runId: string }>("/api/journey-runs", {
      path: "foreign-body.journey.yaml",
      environmentId,
    });
    const { error } = await ended(moved.body.runId);
    expect(error?.message).toContain("PASSWORD");
    expect(foreign.requests).toEqual([]);
  });
});
