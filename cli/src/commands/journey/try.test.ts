import { chmod, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerJson, startFakeServer } from "../../test-support/fake-server.ts";
import type { Answer } from "../../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const JOURNEY = `arazzo: 1.1.0
info: { title: Notes, version: 1.0.0 }
sourceDescriptions: [{ name: notes, type: openapi, url: ./notes.yaml }]
workflows:
  - workflowId: main
    inputs: { type: object, properties: { title: { type: string, default: Milk }, pass: { type: string } } }
    steps:
      - stepId: login
        operationId: login
        requestBody: { contentType: application/json, payload: { pass: $inputs.pass } }
        successCriteria: [{ condition: $statusCode == 200 }]
        outputs: { token: $response.body#/token }
      - stepId: create-note
        operationId: create
        parameters: [{ name: Authorization, in: header, value: "Bearer {$steps.login.outputs.token}" }]
        requestBody: { contentType: application/json, payload: { title: $inputs.title } }
        successCriteria: [{ x-id: made, condition: $statusCode == 201 }]
        outputs: { id: $response.body#/id }
      - stepId: read
        operationId: read
        parameters: [{ name: id, in: path, value: $steps.create-note.outputs.id }]
        successCriteria: [{ x-id: titled, condition: $response.body#/title == $inputs.title }]
      - stepId: remove
        operationId: remove
        parameters: [{ name: id, in: path, value: $steps.create-note.outputs.id }]
    x-journey:
      secrets: { pass: { ref: env:NOTES_PASS } }
      teardown: [{ step: remove }]
`;
const OPENAPI = `openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths:
  /login: { post: { operationId: login, responses: { "200": { description: ok } } } }
  /notes: { post: { operationId: create, responses: { "201": { description: ok } } } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: read, responses: { "200": { description: ok } } }
    delete: { operationId: remove, responses: { "204": { description: ok } } }
`;
const PASS = "a-very-secret-pass";

async function project({ journey = JOURNEY, title = "Milk" } = {}) {
  const folder = await temporaryFolder();
  await folder.write("notes.journey.yaml", journey);
  await folder.write("notes.yaml", OPENAPI);
  let made = 0;
  const answer: Answer = ({ method, url }, response) => {
    if (url === "/login") answerJson(response, 200, { token: "t0ken-of-this-login", pass: PASS });
    else if (method === "POST") answerJson(response, 201, { id: `n${++made}` });
    else if (method === "GET") answerJson(response, 200, { title, echo: ["t0ken-of-this-login", PASS] });
    else response.writeHead(204).end();
  };
  const server = await startFakeServer(answer);
  const attempt = async (
    args: readonly string[],
    env: Record<string, string> = {},
    at: string = server.url,
  ) => {
    const before = server.requests.length;
    const captured = await runCaptured(
      ["journey", "try", "notes.journey.yaml", ...args, "--server", `notes=${at}`],
      { cwd: folder.path, env: { NOTES_PASS: PASS, HOME: folder.path, ...env } },
    );
    const sent = server.requests.slice(before).map(({ method, url }) => `${method} ${url}`);
    return { ...captured, sent };
  };
  const tries = path.join(folder.path, ".cache", "waymark", "tries");
  const keptFile = async () =>
    path.join(tries, (await readdir(tries)).find((name) => name.endsWith(".json")) ?? "none");
  return { ...folder, server, attempt, keptFile };
}

test("a try sends the requests until its step, shows its exchange, and tears down", async () => {
  const { attempt } = await project();
  const { exitCode, stdout, stderr, sent } = await attempt(["create-note"]);
  expect(sent).toEqual(["POST /login", "POST /notes", "DELETE /notes/n1"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("✓ made: $statusCode == 201  (201)");
  expect(stdout).toContain("id = n1");
  expect(stdout).toMatch(/ {6}POST http:\/\/\S+\/notes\n[^]* {6}\{\n {8}"title": "Milk"\n {6}\}\n/);
  expect(stdout).toMatch(/ {6}201 Created {2}[^]* {6}\{\n {8}"id": "n1"\n {6}\}\n/);
  expect(stdout).toContain("✓ remove (teardown)");
  expect(stdout).toMatch(/^step passed {2}create-note {2}.*, the rest of the journey was not run$/m);
});

describe("--keep", () => {
  test("lets the next try send one request, and the one without it tears down", async () => {
    const { attempt, keptFile } = await project();
    const first = await attempt(["create-note", "--keep"]);
    expect(first.sent).toEqual(["POST /login", "POST /notes"]);
    expect(first.stdout).toContain(
      "Left behind: the teardown (remove) was not run. The next try without --keep runs it.",
    );
    const second = await attempt(["read", "--keep"]);
    expect(second.sent).toEqual(["GET /notes/n1"]);
    expect(second.stdout).toContain(
      "reused the outputs of login, create-note, just now (--fresh runs them again)",
    );
    expect(await attempt(["read"])).toMatchObject({
      exitCode: 0,
      sent: ["GET /notes/n1", "DELETE /notes/n1"],
    });
    expect(await keptFile()).toMatch(/none$/);
  });

  test("keeps no secret that the journey refers to, in a file for its owner alone", async () => {
    const { attempt, keptFile } = await project();
    const { stdout } = await attempt(["login", "--keep"]);
    const file = await keptFile();
    const text = await readFile(file, "utf8");
    expect(text).toContain("t0ken-of-this-login");
    expect(text + stdout).not.toContain(PASS);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test("shows neither a token of a kept output nor a secret that the response of a later step repeats", async () => {
    const { attempt } = await project();
    await attempt(["create-note", "--keep"]);
    for (const args of [["--keep"], ["--keep", "--json"], ["--dry-run"]]) {
      const { stdout, stderr } = await attempt(["read", ...args]);
      expect(stdout).toContain("/notes/n1");
      expect(stdout + stderr).not.toMatch(/t0ken-of-this-login|a-very-secret-pass/);
    }
  });

  test("says that a request was repeated which the teardown does not know", async () => {
    const { attempt } = await project();
    await attempt(["create-note", "--keep"]);
    const { stdout, sent } = await attempt(["create-note", "--keep"]);
    expect(sent).toEqual(["POST /notes"]);
    expect(stdout).toContain(
      "create-note had been sent before: the teardown removes only what it made last.",
    );
  });

  test.each([
    ["a secret", [], { NOTES_PASS: "another-secret-pass" }, "a secret changed"],
    ["an input", ["--input", "title=Bread"], {}, "the inputs changed"],
    ["--fresh", ["--fresh"], {}, "--fresh was given"],
  ])("is not used after a change of %s, and what it made is named", async (_name, args, env, why) => {
    const { attempt } = await project();
    await attempt(["create-note", "--keep"]);
    const { sent, stderr } = await attempt(["read", ...args], env);
    expect(sent).toEqual(["POST /login", "POST /notes", "GET /notes/n2", "DELETE /notes/n2"]);
    expect(stderr).toBe(
      `warning: The outputs of an earlier try are not used, because ${why}. What that try made is left behind: its teardown (remove) was not run, and will not be.\n`,
    );
  });

  test("is not used after a change of a step, a description or a server, nor after an hour", async () => {
    const { attempt, write, keptFile, server } = await project();
    await attempt(["create-note", "--keep"]);
    await write("notes.journey.yaml", JOURNEY.replace("payload: { title:", "payload: { by: me, title:"));
    expect((await attempt(["read", "--keep"])).stderr).toContain('because step "create-note" changed.');
    await write("notes.yaml", OPENAPI.replace('"200"', '"202"'));
    expect((await attempt(["read", "--keep"])).stderr).toContain(
      'because the description of step "login" changed.',
    );
    await write("notes.yaml", OPENAPI);
    await attempt(["create-note", "--keep"]);
    const other = await attempt(["read", "--keep"], {}, `${server.url}/?`);
    expect(other.stderr).toContain("because --server changed.");
    const kept = JSON.parse(await readFile(await keptFile(), "utf8"));
    kept.try.at -= 3_700_000;
    await writeFile(await keptFile(), JSON.stringify(kept));
    expect((await attempt(["read", "--keep"])).stderr).toContain("because they are older than an hour.");
  });

  test("deletes what any try has kept for an hour", async () => {
    const { attempt, write } = await project();
    const old = await write(".cache/waymark/tries/old.json", "{}");
    await utimes(old, 0, 0);
    await attempt(["login", "--keep"]);
    await expect(stat(old)).rejects.toThrow("ENOENT");
  });

  test("reads no file that others can read, and none that is broken", async () => {
    const { attempt, keptFile } = await project();
    await attempt(["create-note", "--keep"]);
    await writeFile(await keptFile(), "{");
    expect((await attempt(["read", "--keep"])).sent).toHaveLength(3);
    await chmod(await keptFile(), 0o644);
    expect((await attempt(["read", "--keep"])).sent).toHaveLength(3);
  });
});

test("outputs of a journey without a teardown are kept without --keep", async () => {
  const { attempt } = await project({ journey: JOURNEY.replace("      teardown: [{ step: remove }]\n", "") });
  await attempt(["login"]);
  expect((await attempt(["create-note"])).sent).toEqual(["POST /notes"]);
});

test("a dry run prints the requests with placeholders, and sends nothing", async () => {
  const { attempt } = await project();
  const { exitCode, stdout, sent } = await attempt(["read", "--dry-run"]);
  expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: [] });
  expect(stdout).toMatch(/GET http:\/\/\S+\/notes\/«id of create-note»\n/);
  expect(stdout).toContain("then the teardown: remove\ndry run: nothing was sent\n");
  expect(stdout).not.toContain(PASS);
});

test("a dry run has the outputs that were kept, and leaves them", async () => {
  const { attempt } = await project();
  await attempt(["create-note", "--keep"]);
  expect((await attempt(["read", "--dry-run"])).stdout).toMatch(/GET http:\/\/\S+\/notes\/n1\n/);
  expect((await attempt(["read"])).sent).toEqual(["GET /notes/n1", "DELETE /notes/n1"]);
});

test("--json prints the try as one object, with no secret and no verdict on the journey", async () => {
  const { attempt } = await project();
  const { stdout } = await attempt(["create-note", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    schema: "journey-try/1",
    step: "create-note",
    status: "reached",
    kept: false,
    teardown: { status: "passed" },
    inputs: { pass: { secretRef: "env:NOTES_PASS" } },
  });
  expect(stdout).not.toContain(PASS);
  const plan = JSON.parse((await attempt(["create-note", "--json", "--dry-run"])).stdout);
  expect(plan).toMatchObject({
    schema: "journey-plan/1",
    reused: [],
    requests: [{ step: "login" }, { step: "create-note" }],
  });
});

test("a step that fails, one that is not reached and a missing secret have the exit codes of a run", async () => {
  const { attempt } = await project({ title: "Bread" });
  const failed = await attempt(["read"]);
  expect(failed.exitCode).toBe(1);
  expect(failed.stdout).toMatch(/✗ titled: [^]*step failed {2}read/);
  const before = await attempt(["remove"]);
  expect(before.exitCode).toBe(1);
  expect(before.stdout).toContain('not reached  remove: Step "read" failed.');
  const missing = await attempt(["read"], { NOTES_PASS: "" });
  expect(missing).toMatchObject({ exitCode: 3, sent: [] });
  expect(missing.stdout).toContain("missing-secret: These secrets have no value: pass (env:NOTES_PASS).");
  expect(await attempt(["read", "--dry-run"], { NOTES_PASS: "" })).toMatchObject({ exitCode: 3, sent: [] });
});

test("a step that does not exist is named with the nearest one", async () => {
  const { attempt } = await project();
  const { exitCode, stderr } = await attempt(["create-not"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('The workflow has no step "create-not": did you mean create-note?');
  expect((await attempt(["xyz"])).stderr).toContain("there is login, create-note, read, remove.");
});
