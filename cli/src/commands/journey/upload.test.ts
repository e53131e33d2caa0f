import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const JOURNEY = `arazzo: 1.1.0
info: { title: Ping, version: 1.0.0 }
sourceDescriptions: []
workflows:
  - workflowId: main
    inputs: { type: object, properties: { word: { type: string, default: w } } }
    x-journey: { vars: { id: { generate: uuid } } }
    steps:
      - stepId: ping
        x-operation: { url: "TARGET/ping", method: get }
        parameters: [{ name: q, in: query, value: "{$inputs.word} {$vars.id}" }]
        successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]
`;

const RESULT_URL = "https://waymark.example/api/journey-runs/1";

interface Sent {
  result: { runId: string; status: string };
  ci?: Record<string, string>;
  path?: string;
}

const accept: Answer = ({ body }, response) => {
  const { result }: Sent = JSON.parse(body);
  answerJson(response, 201, { runId: result.runId, resultUrl: RESULT_URL });
};
const refuse =
  (status: number, code: string): Answer =>
  (_request, response) =>
    answerJson(response, status, { error: { code, message: `because of ${code}`, requestId: "r" } });

async function project(answer: Answer = accept, { targetStatus = 200 } = {}) {
  const target = await startFakeServer((_request, response) => answerJson(response, targetStatus, {}));
  const service = await startFakeServer(answer);
  const folder = await temporaryFolder();
  await folder.write("j/ping.journey.yaml", JOURNEY.replace("TARGET", target.url));
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runCaptured(["journey", ...args, "--api-key", "k", "--api-url", service.url], { cwd: folder.path, env });
  const uploads = (): Sent[] => service.requests.map(({ body }) => JSON.parse(body));
  return { ...folder, run, uploads, service, target };
}

const RUN = ["run", "j/ping.journey.yaml"];

describe("journey run --upload", () => {
  it("sends each result with its document and its build", async () => {
    const { run, uploads, service } = await project();
    const { exitCode, stdout, stderr } = await run([...RUN, "--upload"], {
      GITHUB_SERVER_URL: "https://github.example",
      GITHUB_REPOSITORY: "shop/api",
      GITHUB_RUN_ID: "7",
      GITHUB_SHA: "c0ffee1",
      GITHUB_REF_NAME: "feature\u0007",
    });
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("Uploaded");
    expect(stderr).toContain(`Uploaded: ${RESULT_URL}`);
    expect(service.requests[0]).toMatchObject({ method: "POST", url: "/api/journey-results" });
    expect(uploads()).toEqual([
      {
        result: expect.objectContaining({ schema: "journey-result/1", status: "passed" }),
        path: "j/ping.journey.yaml",
        ci: {
          system: "GitHub Actions",
          url: "https://github.example/shop/api/actions/runs/7",
          repository: "https://github.example/shop/api",
          commit: "c0ffee1",
        },
      },
    ]);
  });

  it("has the exit code of the journeys, whatever becomes of the upload", async () => {
    for (const [answer, targetStatus, expected] of [
      [refuse(409, "artifact_unknown"), 200, 0],
      [refuse(403, "permission_denied"), 500, 1],
      [accept, 500, 1],
    ] as const) {
      const { run } = await project(answer, { targetStatus });
      expect((await run([...RUN, "--upload"])).exitCode).toBe(expected);
    }
    const { run } = await project(refuse(409, "artifact_unknown"));
    expect((await run([...RUN, "--upload"])).stderr).toContain(
      "warning: The result was not uploaded: uploading the result failed",
    );
    const { path: cwd } = await temporaryFolder();
    const noKey = await runCaptured(["journey", "run", "none.yaml", "--upload"], { cwd });
    expect(noKey.stderr).not.toContain("API key required");
  });

  it("fails with --require-upload, before the run where it can't work", async () => {
    const { run } = await project(refuse(409, "artifact_unknown"));
    const refused = await run([...RUN, "--require-upload"]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("error: The result was not uploaded");
    const other = await project();
    const noKey = await runCaptured(["journey", ...RUN, "--require-upload"], { cwd: other.path });
    expect(noKey.exitCode).toBe(2);
    expect(noKey.stderr).toContain("API key required");
    expect(other.target.requests).toEqual([]);
  });

  it("keeps what the server did not get, without the key, and sends it later once", async () => {
    const { path: cwd, run, service } = await project(refuse(503, "service_unavailable"));
    const { exitCode, stderr } = await run([...RUN, "--upload", "--spool", "kept"]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("send it with waymark flush --spool kept");
    const [name = ""] = await readdir(path.join(cwd, "kept"));
    expect(name).toMatch(/\.result\.json$/);
    const text = await readFile(path.join(cwd, "kept", name), "utf8");
    expect(text).not.toContain(service.url);
    const healthy = await startFakeServer(accept);
    const flush = () =>
      runCaptured(["flush", "--spool", "kept", "--api-key", "k", "--api-url", healthy.url], { cwd });
    const flushed = await flush();
    expect(flushed.stdout).toMatch(/^Result uploaded: [0-9a-f-]+\nSent: 1 result\n$/);
    expect(Object.keys(JSON.parse(healthy.requests[0]?.body ?? "{}"))).toEqual(["result", "path"]);
    expect(await readdir(path.join(cwd, "kept"))).toEqual([]);
    expect((await flush()).stdout).toBe("Sent: 0 scans\n");
  });

  it("asks a server that is not there once, however many journeys run", async () => {
    const { run, service, write } = await project(refuse(503, "service_unavailable"));
    await write("rows.json", JSON.stringify([{ word: "a" }, { word: "b" }, { word: "c" }]));
    await run([...RUN, "--upload", "--data", "rows.json"]);
    expect(service.requests).toHaveLength(3);
  });

  it("does not go with --cloud", async () => {
    const { run } = await project();
    const { stderr } = await run([...RUN, "--cloud", "--env", "e", "--upload"]);
    expect(stderr).toContain("--cloud does not go with --upload");
  });
});

describe("journey upload", () => {
  it("sends the results of a file, and says which were there already", async () => {
    let count = 0;
    const { run, uploads } = await project(({ body }, response) => {
      const { result }: Sent = JSON.parse(body);
      answerJson(response, count++ === 0 ? 201 : 200, { runId: result.runId, resultUrl: RESULT_URL });
    });
    await run([...RUN, "--report", "json=result.json"]);
    const first = await run(["upload", "result.json"]);
    expect(first.stdout).toBe(`Uploaded: ${RESULT_URL}\n1 result.\n`);
    const again = await run(["upload", "result.json", "--journey", "j/ping.journey.yaml"]);
    expect(again.stdout).toContain(`Uploaded: ${RESULT_URL} (it was there already)`);
    expect(uploads().map((sent) => sent.path)).toEqual([undefined, "j/ping.journey.yaml"]);
    const json = await run(["upload", "result.json", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual([
      { runId: uploads()[0]?.result.runId, resultUrl: RESULT_URL, isNew: false },
    ]);
  });

  it.each([
    ["none.json", 2, "none.json"],
    ["text.json", 2, "is not valid JSON"],
    ["other.json", 2, "is no result of a journey"],
  ])("refuses %s", async (name, exitCode, message) => {
    const { run, write } = await project();
    await write("text.json", "{");
    await write("other.json", '[{"schema":"journey-result/1","runId":"../../x"}]');
    const ended = await run(["upload", name]);
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr).toContain(message);
  });

  it("shows why the server refuses a result", async () => {
    const { run } = await project(refuse(422, "result_mismatch"));
    await run([...RUN, "--report", "json=result.json"]);
    const { exitCode, stderr } = await run(["upload", "result.json"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("because of result_mismatch");
  });
});

describe("journey run --replay", () => {
  /** A service with one run of the artifact that the command builds. */
  async function replay(change: (artifact: string) => string = (text) => text) {
    const state = { artifact: "", hash: "" };
    const made = await project(({ url }, response) => {
      if (url.includes("/journey-artifacts/")) {
        response.writeHead(200, { "content-type": "application/json" }).end(change(state.artifact));
      } else if (url.endsWith(RUN_ID)) {
        const run = {
          artifact: state.hash,
          seed: "the-seed",
          strictContract: false,
          inputs: { word: "from the run" },
        };
        answerJson(response, 200, run);
      } else refuse(404, "not_found")({ method: "", url, headers: {}, body: "" }, response, null as never);
    });
    await runCaptured(["journey", "build", "j/ping.journey.yaml", "--out", "a.json"], { cwd: made.path });
    state.artifact = await readFile(path.join(made.path, "a.json"), "utf8");
    state.hash = createHash("sha256").update(state.artifact).digest("hex");
    return made;
  }

  it("repeats the run with its artifact, seed and inputs", async () => {
    const { run, target } = await replay();
    const args = ["run", "--replay", RUN_ID, "--report", "json=-"];
    const first = await run(args);
    expect(first.exitCode).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ seed: "the-seed", inputs: { word: "from the run" } });
    await run(args);
    const [one, two] = target.requests.map(({ url }) => url);
    expect(one).toContain("from");
    expect(two).toBe(one);
    const other = await run([...args, "--input", "word=mine"]);
    expect(JSON.parse(other.stdout)).toMatchObject({ inputs: { word: "mine" } });
  });

  it("runs nothing but the artifact of the run", async () => {
    const { run, target } = await replay((text) => text.replace("/ping", "/pong"));
    const { exitCode, stderr } = await run(["run", "--replay", RUN_ID]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("is not the one of the run");
    expect(target.requests).toEqual([]);
  });

  it.each([
    [["run", "--replay", RUN_ID, "a.yaml"], "Give the journeys to run, or --replay"],
    [["run"], "Give the journeys to run, or --replay"],
    [["run", "--replay", RUN_ID, "--seed", "x"], "--replay does not go with --seed"],
    [["run", "--replay", "unknown"], "because of not_found"],
  ])("refuses %j", async (args, message) => {
    const { run } = await replay();
    const { exitCode, stderr } = await run(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
