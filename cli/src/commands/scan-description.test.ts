import { createHash } from "node:crypto";
import { readdir, readFile, stat, symlink } from "node:fs/promises";
import path from "node:path";
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
  test("says in one line that the organization stores none", async () => {
    const { exitCode, stderr, descriptions } = await scan(refuse(403, "descriptions_disabled"));
    expect(exitCode).toBe(0);
    expect(stderr).toBe("Note: the description was not stored: this organization stores no descriptions.\n");
    expect(descriptions.map(({ body }) => body)).toEqual([""]);
  });

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

describe("the description of a scan that --spool keeps", () => {
  const DOWN = "http://127.0.0.1:9";
  const RUN_TEXT = `run-${RUN_ID}.yaml`;

  async function keptScan(options: { text?: string; args?: string[] } = {}) {
    const folder = await temporaryFolder();
    await folder.write("api.yaml", options.text ?? TEXT);
    const spool = path.join(folder.path, "spool");
    const args = ["scan", "--service", "a", "--spec", "api.yaml", "--api-key", KEY, "--spool", spool];
    const { stderr } = await runCaptured([...args, "--api-url", DOWN, ...(options.args ?? [])], {
      cwd: folder.path,
      times: { attemptsMax: 1 },
    });
    const ends = async () => (await readdir(spool)).map((name) => name.replace(/^[^.]*\./, "")).toSorted();
    const flush = async (describeRun: Answer) => {
      const server = await startFakeServer(undefined, describeRun);
      const result = await runCaptured(
        ["flush", "--spool", spool, "--api-key", KEY, "--api-url", server.url],
        {
          times: { attemptsMax: 1, descriptionMs: 1_000 },
        },
      );
      return { ...result, ...server };
    };
    return { spool, stderr, ends, flush };
  }

  test("is kept beside it, readable only by its owner, and sent after it", async () => {
    const { spool, ends, flush } = await keptScan();
    expect(await ends()).toEqual(["description.yaml", "scan.json"]);
    for (const name of await readdir(spool))
      expect((await stat(path.join(spool, name))).mode & 0o777).toBe(0o600);
    const { exitCode, stdout, stderr, descriptions } = await flush(storing);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: `${PRINTED}Sent: 1 scan\n`,
      stderr: "",
    });
    expect(descriptions.map(({ url, body }) => [url?.split("?")[0], body])).toEqual([
      [`/api/scan-runs/${RUN_ID}/description`, ""],
      [`/api/scan-runs/${RUN_ID}/description`, TEXT],
    ]);
    expect(await ends()).toEqual([]);
  });

  test.each([
    ["with --no-description", { args: ["--no-description"] }, "", ["scan.json"]],
    [
      "because of a credential",
      { text: `${TEXT}servers: [{ url: "https://u:p@example.com" }]\n` },
      "Its description is not kept: servers[0].url is an address with a user, a password or a token.",
      ["scan.json"],
    ],
  ])("is not kept %s, and the scan is", async (_, options, message, files) => {
    const { stderr, ends } = await keptScan(options);
    expect(await ends()).toEqual(files);
    expect(stderr).toContain(message);
    expect(stderr.includes("description")).toBe(message !== "");
  });

  test("fails no flush when it is refused, and is gone", async () => {
    const { ends, flush } = await keptScan();
    const { exitCode, stderr } = await flush(refuse(409, "description_mismatch"));
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`Note: the description of the scan run ${RUN_ID} was not stored: `);
    expect(await ends()).toEqual([]);
  });

  test("stays when it can't be sent, and the next flush sends it", async () => {
    const { ends, flush } = await keptScan();
    const first = await flush((_, response) => response.destroy());
    expect(first).toMatchObject({ exitCode: 0, stdout: `${PRINTED}Sent: 1 scan\n` });
    expect(first.stderr).toContain("stay in the spool: flush again.");
    expect(await ends()).toEqual([RUN_TEXT]);
    const second = await flush(storing);
    expect(second).toMatchObject({ exitCode: 0, stdout: "Sent: 0 scans\n", stderr: "" });
    expect(second.descriptions.at(-1)?.body).toBe(TEXT);
    expect(await ends()).toEqual([]);
  });

  test("is not read through a link that somebody puts there", async () => {
    const { spool, flush } = await keptScan();
    await symlink("/etc/hostname", path.join(spool, `0.run-${RUN_ID}.json`));
    const { exitCode, stderr, descriptions } = await flush(storing);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("was not stored");
    expect(descriptions.map(({ body }) => body)).toEqual(["", TEXT]);
    expect(await readFile("/etc/hostname", "utf8")).not.toBe("");
  });

  test("is removed when its scan is gone", async () => {
    const { ends, flush, spool } = await keptScan();
    const { rm } = await import("node:fs/promises");
    for (const name of await readdir(spool))
      if (name.endsWith(".scan.json")) await rm(path.join(spool, name));
    await flush(storing);
    expect(await ends()).toEqual([]);
  });
});
