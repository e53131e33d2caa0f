import { describe, expect, test } from "vitest";
import { startFakeComments } from "../test-support/fake-comments.ts";
import { answerJson, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const TOKEN = { WAYMARK_COMMENT_TOKEN: "token-of-the-host" };
const github = (url: string) => ({
  ...TOKEN,
  GITHUB_ACTIONS: "true",
  GITHUB_API_URL: url,
  GITHUB_REPOSITORY: "acme/shop",
  GITHUB_REF: "refs/pull/7/merge",
});
const gitlab = (url: string) => ({
  ...TOKEN,
  CI_API_V4_URL: url,
  CI_PROJECT_ID: "1",
  CI_MERGE_REQUEST_PROJECT_ID: "42",
  CI_MERGE_REQUEST_IID: "7",
});

async function comment(
  text: string,
  options: { env: Record<string, string>; args?: string[] },
): ReturnType<typeof runCaptured> {
  const folder = await temporaryFolder();
  await folder.write("summary.md", text);
  return runCaptured(["comment", "summary.md", ...(options.args ?? [])], {
    cwd: folder.path,
    env: options.env,
  });
}

describe.each([
  { host: "GitHub", envOf: github, name: "pull request 7 of acme/shop", update: "PATCH" },
  { host: "GitLab", envOf: gitlab, name: "merge request 7", update: "PUT" },
])("waymark comment on $host", ({ host, envOf, name, update }) => {
  test("is cut at the end of a line where it is too long, and says so", async () => {
    const server = await startFakeComments();
    const text = `${Array.from({ length: 2_000 }, (_, n) => `- line ${n} of a long summary of many services`).join("\n")}\n`;
    expect((await comment(text, { env: envOf(server.url) })).exitCode).toBe(0);
    const [body = ""] = server.ours();
    expect(body.length).toBeLessThan(65_536);
    expect(body).toMatch(
      /services\n\n… The rest does not fit into a comment: the summary of the build has it\.\n$/,
    );
  });

  test("creates a comment, and updates it in later builds", async () => {
    const server = await startFakeComments();
    const env = envOf(server.url);
    expect(await comment("First\n", { env })).toEqual({
      exitCode: 0,
      stdout: `Comment created on ${name}.\n`,
      stderr: "",
    });
    expect(await comment("Second\n", { env })).toMatchObject({ stdout: `Comment updated on ${name}.\n` });
    expect(server.ours()).toEqual(["<!-- waymark waymark -->\nSecond\n"]);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "GET", "POST", "GET", "GET", update]);
  });

  test("keeps a comment for each id, which can't end its mark", async () => {
    const server = await startFakeComments();
    const env = envOf(server.url);
    for (const id of ["orders", "carts", "x --> <b>", "orders"])
      await comment(`of ${id}`, { env, args: ["--id", id] });
    expect(server.ours()).toEqual([
      "<!-- waymark orders -->\nof orders",
      "<!-- waymark carts -->\nof carts",
      "<!-- waymark x%20--%3E%20%3Cb%3E -->\nof x --> <b>",
    ]);
  });

  test("sends the token as the host wants it, and shows it nowhere", async () => {
    const server = await startFakeComments();
    const { stdout, stderr } = await comment("Text", { env: envOf(server.url) });
    const sent = server.requests.map(
      ({ headers }) => headers[host === "GitHub" ? "authorization" : "private-token"],
    );
    expect(new Set(sent)).toEqual(
      new Set([host === "GitHub" ? "Bearer token-of-the-host" : "token-of-the-host"]),
    );
    expect(stdout + stderr).not.toContain("token-of-the-host");
  });

  test.each([401, 403, 404])(
    "a refusal with %i says what the token needs, with exit code 3",
    async (status) => {
      const server = await startFakeComments({ status });
      const { exitCode, stderr } = await comment("Text", { env: envOf(server.url) });
      expect(exitCode).toBe(3);
      expect(stderr).toContain(
        host === "GitHub" ? "pull-requests: write" : "the scope api and the role Reporter",
      );
      expect(server.requests).toHaveLength(1);
    },
  );

  test("a failure while creating is not repeated, because the comment may be there", async () => {
    const server = await startFakeServer((request, response) =>
      request.method === "GET" ? answerJson(response, 200, []) : answerJson(response, 502, {}),
    );
    const { exitCode } = await comment("Text", { env: envOf(server.url) });
    expect(exitCode).toBe(4);
    expect(server.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  test("a long text is cut to what the host takes", async () => {
    const server = await startFakeComments();
    await comment("x".repeat(100_000), { env: envOf(server.url) });
    expect(server.ours()[0]?.length).toBeLessThan(65_536);
  });

  test("a response that is no list of comments is told, and nothing is written", async () => {
    const server = await startFakeServer((_request, response) => response.end("<html>"));
    const { exitCode, stderr } = await comment("Text", { env: envOf(server.url) });
    expect({ exitCode, requests: server.requests.length }).toEqual({ exitCode: 4, requests: 1 });
    expect(stderr).toContain("is no list of comments");
  });
});

describe("waymark comment", () => {
  test("needs a build of a pull request, a token, and a text", async () => {
    const server = await startFakeComments();
    const env = github(server.url);
    const noPull = await comment("Text", { env: { ...env, GITHUB_REF: "refs/heads/main" } });
    expect(noPull).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("This is no build of a pull request"),
    });
    const noToken = await comment("Text", { env: { ...env, WAYMARK_COMMENT_TOKEN: "" } });
    expect(noToken).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("set WAYMARK_COMMENT_TOKEN"),
    });
    expect(await comment(" \n", { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("is empty"),
    });
    expect(server.requests).toEqual([]);
  });

  test("on GitHub shows a failure on the page of the job, because the job goes on", async () => {
    const server = await startFakeComments({ status: 403 });
    const { stderr } = await comment("Text", { env: github(server.url) });
    expect(stderr).toMatch(
      /^::warning::The pull request has no comment: .* 403: the job needs the permission/m,
    );
    expect((await comment("Text", { env: gitlab(server.url) })).stderr).not.toContain("::");
  });
});
