import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { COMPILE_CACHE } from "@waymark/test-support/run-node.ts";
import { runInProcess } from "../../../services/worker/src/journeys/run-in-process.ts";
import {
  monotonicMs,
  type RunTask,
  type SentStep,
} from "../../../services/worker/src/journeys/runner/messages.ts";
import {
  createRunnerPool,
  type Runner,
  type RunnerPool,
} from "../../../services/worker/src/journeys/runner/runner-pool.ts";
import { compileFiles } from "./support/journey-stack.ts";

const PASSWORD = "correct-horse-battery-staple";
const TOKEN = "obtained-by-the-first-run";
const COOKIE = "cookie-of-the-first-run";

const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
let connections = 0;
let port = 0;
const server = createServer((request, response) => {
  requests.push({ path: request.url ?? "", headers: request.headers });
  request.resume();
  const isLogin = request.url === "/login";
  response.writeHead(200, {
    "content-type": "application/json",
    ...(isLogin ? { "set-cookie": `sid=${COOKIE}` } : {}),
  });
  // To the second run this is any text: it has none of these as a secret.
  response.end(JSON.stringify(isLogin ? { token: TOKEN } : { text: `${PASSWORD} ${TOKEN} ${COOKIE}` }));
});
server.on("connection", () => connections++);
// On a busy machine, more than the default of 5 s may pass between two requests of a run.
server.keepAliveTimeout = 0;

const used = new Set<Runner>();
let pool: RunnerPool;
let login: string;
let echo: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
  pool = createRunnerPool({ env: COMPILE_CACHE, processesMax: 3 });
  const url = `http://127.0.0.1:${port}`;
  login = await compile(`
    inputs: { type: object, properties: { password: { type: string }, note: { type: string } } }
    x-journey: { secrets: { password: { ref: env:PASSWORD } } }
    steps:
      - stepId: login
        x-operation: { method: post, url: "${url}/login" }
        parameters: [{ name: X-Api-Key, in: header, value: $inputs.password }]
        outputs: { token: $response.body#/token }
      - stepId: use
        x-operation: { method: get, url: "${url}/use" }
        parameters: [{ name: Authorization, in: header, value: "Bearer {$steps.login.outputs.token}" }]
    outputs: { token: $steps.login.outputs.token, note: $inputs.note }`);
  echo = await compile(`
    inputs: { type: object, properties: { note: { type: string } } }
    steps:
      - stepId: echo
        x-operation: { method: get, url: "${url}/echo" }
    outputs: { note: $inputs.note }`);
});
beforeEach(carryOutFirst);
afterAll(async () => {
  pool.close();
  await new Promise((resolve) => server.close(resolve));
});

describe("a second run in the process of the first", { timeout: 180_000 }, () => {
  it("has its own secrets and inputs, though it is the same journey", async () => {
    const { result, text } = await run({ artifact: login });
    expect(result.error?.code).toBe("missing-secret");
    expect(text).not.toContain("of the first run");
    expect(requests).toHaveLength(2);
  });

  it("sends nothing that the first obtained, and hides nothing that was secret in the first", async () => {
    const { result, text } = await run({ artifact: echo });
    expect(result).toMatchObject({ status: "passed", outputs: {} });
    expect(requests[2]?.path).toBe("/echo");
    const sent = JSON.stringify(requests[2]?.headers);
    for (const value of [PASSWORD, TOKEN, COOKIE]) {
      expect(sent).not.toContain(value);
      expect(text).toContain(value);
    }
    expect(text).not.toContain("[redacted]");
  });

  it("opens its own connections", async () => {
    await run({ artifact: echo });
    expect(connections).toBe(2);
  });

  it.each<[string, (egress: RunTask["egress"]) => RunTask["egress"]]>([
    ["a host", (egress) => ({ ...egress, allowedHosts: ["api.example"] })],
    ["an address", (egress) => ({ ...egress, operatorAllows: [] })],
    ["an address of the server", (egress) => ({ ...egress, own: [{ address: "127.0.0.1", port }] })],
  ])("does not reach %s that is refused to it, though the first was connected", async (_, changed) => {
    const { result } = await run({ artifact: echo, egress: changed(egressOfAll()) });
    expect(result.error?.code).toBe("forbidden");
    expect(requests).toHaveLength(2);
    expect(connections).toBe(1);
  });
});

async function carryOutFirst(): Promise<void> {
  requests.length = 0;
  connections = 0;
  const first = await run({
    artifact: login,
    inputs: { note: "of the first run" },
    secrets: { PASSWORD: { value: PASSWORD, hosts: [`127.0.0.1:${port}`] } },
  });
  expect(first.result).toMatchObject({ status: "passed", outputs: { note: "of the first run" } });
  expect(first.text).not.toContain(PASSWORD);
  expect(first.text).not.toContain(TOKEN);
  expect(requests.map(({ path }) => path)).toEqual(["/login", "/use"]);
  expect(requests[1]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(connections).toBe(1);
}

function egressOfAll(): RunTask["egress"] {
  return {
    allowedHosts: [`127.0.0.1:${port}`],
    operatorAllows: [{ address: "127.0.0.1", prefix: 32, port }],
    own: [],
  };
}

async function compile(workflow: string): Promise<string> {
  const text = `arazzo: 1.1.0
info: { title: Reuse, version: 1.0.0 }
sourceDescriptions: []
workflows:
  - workflowId: main${workflow}
`;
  return (await compileFiles({ "reuse.journey.yaml": text })).artifact;
}

/** Carries out a run in the pool, always in the same process, and gives its result with all that was stored of it. */
async function run(
  task: Pick<RunTask, "artifact"> & Partial<RunTask>,
): Promise<{ result: JourneyResult; text: string }> {
  const steps: SentStep[] = [];
  const acquire: RunnerPool["acquire"] = async (organizationId) => {
    const runner = await pool.acquire(organizationId);
    used.add(runner);
    return runner;
  };
  const { ended } = await runInProcess(
    { acquire, release: pool.release },
    {
      organizationId: "a",
      task: { ...TASK, egress: egressOfAll(), ...task },
      leaseEndsAt: () => monotonicMs() + 60_000,
      writerOf: ({ saved }) => ({
        add: (progress) => {
          steps.push(...progress.steps);
          if (progress.checkpoint !== undefined) saved(progress.checkpoint.number);
        },
        flush: () => Promise.resolve(true),
        end: () => Promise.resolve([]),
      }),
    },
  );
  const end = await ended;
  if (end.kind !== "ended") throw new Error(`the run ${JSON.stringify(end)}`);
  expect(used.size).toBe(1);
  return { result: JSON.parse(end.ending.result), text: JSON.stringify([steps, end.ending]) };
}

const TASK = {
  runId: "00000000-0000-4000-8000-000000000001",
  inputs: {},
  secrets: {},
  seed: "seed",
  strictContract: false,
  storesBodies: true,
  limits: {},
  isCancelled: false,
  onlyTeardown: false,
} satisfies Partial<RunTask>;
