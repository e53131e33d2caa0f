import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Answer, answerJson, RUN_ID, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const KEY = `wmk_${"a".repeat(12)}_${"b".repeat(39)}`;
const TEXT = `openapi: 3.1.0\ninfo: { title: A, version: "1" }\npaths: { /a: { get: { responses: {} } } }\n${"# A comment.\n".repeat(5_000)}`;
const PRINTED = `Scan ingested: ${RUN_ID}\n`;
const digestOf = (text: string) => `sha-256=:${createHash("sha256").update(text).digest("base64")}:`;

const refuse =
  (status: number, code: string, details: object[] = []): Answer =>
  (_, response) =>
    answerJson(response, status, { error: { code, message: "It is so", details, requestId: "r" } });

/** A server that has no description yet. */
const storing: Answer = (request, response, raw) => {
  if (request.body === "") refuse(409, "description_unknown")(request, response, raw);
  else answerJson(response, 201, {});
};

async function scan(
  describeRun: Answer,
  options: {
    args?: string[];
    text?: string;
    stdin?: boolean;
    files?: Record<string, string>;
    times?: object;
  } = {},
) {
  const { args = [], text = TEXT, stdin = false, files = {}, times = {} } = options;
  const folder = await temporaryFolder();
  await folder.write("api.yaml", text);
  for (const [name, content] of Object.entries(files)) await folder.write(name, content);
  const server = await startFakeServer(undefined, describeRun);
  const spec = stdin ? "-" : "api.yaml";
  const result = await runCaptured(
    ["scan", "--service", "a", "--spec", spec, "--api-key", KEY, "--api-url", server.url, ...args],
    { cwd: folder.path, times, ...(stdin && { stdin: text }) },
  );
  return { ...result, ...server };
}

describe("the description behind a scan", () => {
  test("is asked for by its hash, and sent where the server does not have it", async () => {
    const { exitCode, stdout, stderr, descriptions } = await scan(storing);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(PRINTED);
    expect(descriptions.map(({ method, url, body }) => [method, url.split("?")[0], body])).toEqual([
      ["PUT", `/api/scan-runs/${RUN_ID}/description`, ""],
      ["PUT", `/api/scan-runs/${RUN_ID}/description`, TEXT],
    ]);
    for (const { headers } of descriptions) expect(headers["repr-digest"]).toBe(digestOf(TEXT));
    expect(descriptions[1]?.headers).toMatchObject({
      "content-type": "application/yaml",
      "content-encoding": "gzip",
      authorization: `Bearer ${KEY}`,
    });
  });

  test("is not sent where the server has it", async () => {
    const { exitCode, descriptions } = await scan((_, response) => answerJson(response, 201, {}));
    expect(exitCode).toBe(0);
    expect(descriptions.map(({ body }) => body)).toEqual([""]);
  });

  test("is sent from standard input, too", async () => {
    const { descriptions } = await scan(storing, { stdin: true });
    expect(descriptions[1]?.body).toBe(TEXT);
  });

  test("has the files that it refers to", async () => {
    const text = "openapi: 3.1.0\npaths: { /a: { $ref: a.yaml } }\n";
    const { descriptions } = await scan(storing, { text, files: { "a.yaml": "get: { responses: {} }\n" } });
    expect(JSON.parse(descriptions[1]?.body ?? "")).toMatchObject({
      paths: { "/a": { $ref: "#/x-bundled/a" } },
      "x-bundled": { a: { get: { responses: {} } } },
    });
  });

  test.each([
    ["--no-description", ["--no-description"], {}],
    ["description: false in waymark.yaml", [], { "waymark.yaml": "description: false\n" }],
    ["a dry run", ["--dry-run"], {}],
  ])("stays where it is with %s", async (_, args, files) => {
    const { exitCode, descriptions } = await scan(storing, { args, files });
    expect(exitCode).toBe(0);
    expect(descriptions).toEqual([]);
  });

  test("is sent in spite of waymark.yaml with --description", async () => {
    const files = { "waymark.yaml": "description: false\n" };
    expect((await scan(storing, { args: ["--description"], files })).descriptions).toHaveLength(2);
  });
});

describe("a scan whose description is not stored", () => {
  const details = Array.from({ length: 20 }, (_, n) => ({
    path: `GET /${n}`,
    message: "is not in the scan run",
  }));
  test.each<[string, Answer, string]>([
    ["is refused", refuse(409, "description_mismatch", details), "HTTP 409 description_mismatch: It is so"],
    ["lacks a permission", refuse(403, "permission_denied"), "HTTP 403 permission_denied"],
    ["meets a fault", refuse(500, "internal_error"), "HTTP 500 internal_error"],
    ["gets no response", (_request, response) => response.destroy(), "no response from"],
    ["gets no response in time", () => undefined, "no response from"],
    [
      "gets the page of a proxy",
      (_request, response) => response.writeHead(502).end("<html>"),
      "HTTP 502 from",
    ],
  ])("succeeds as before, with three lines at most: the description %s", async (_, answer, message) => {
    const times = { descriptionMs: 300, attemptMs: 300 };
    const { exitCode, stdout, stderr } = await scan(answer, { times });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(PRINTED);
    expect(stderr).toContain("Note: the description was not stored: storing the description failed: ");
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(3);
  });

  test("names the first differences, a line each", async () => {
    const { stderr } = await scan(refuse(409, "description_mismatch", details));
    expect(stderr).toBe(
      "Note: the description was not stored: storing the description failed: HTTP 409 description_mismatch: It is so.\n" +
        "  GET /0: is not in the scan run\n  GET /1: is not in the scan run\n",
    );
  });

  test("says nothing about a server without this route", async () => {
    const { exitCode, stderr } = await scan(refuse(404, "not_found"));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  test("keeps the credentials of the description, and says where they are", async () => {
    const text = `${TEXT}servers: [{ url: "https://u:hunter2@example.com" }]\n`;
    const { exitCode, stderr, descriptions } = await scan(storing, { text });
    expect(exitCode).toBe(0);
    expect(descriptions).toEqual([]);
    expect(stderr).toBe(
      "Note: the description was not stored: servers[0].url is an address with a user, a password or a token.\n",
    );
  });

  test("prints its result as JSON before, and nothing else to standard output", async () => {
    const { stdout } = await scan(refuse(500, "internal_error"), {
      args: ["--json"],
      times: { attemptsMax: 1 },
    });
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, scanRunId: RUN_ID });
  });
});
