// waymark comment where comments are no plain list: threads of Azure Repos, and Bitbucket Cloud.
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { DEFAULT_TIMES } from "../http/times.ts";
import { createReporter } from "../lib/reporter.ts";
import { answerJson, type FakeServer, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";
import { bitbucketThread } from "./comment/bitbucket-thread.ts";
import { upsertComment } from "./comment/upsert-comment.ts";

const THREADS = "/acme/0a-1b/_apis/git/repositories/2c-3d/pullRequests/7/threads?api-version=7.1";

interface Thread {
  id: number;
  status?: number;
  isDeleted?: boolean;
  comments: { id: number; content?: string; isDeleted?: boolean }[];
}

/** The threads of pull request 7 of Azure Repos. */
async function startThreads(threads: Thread[]): Promise<FakeServer> {
  return startFakeServer((request, response) => {
    const [, id] =
      /^\/acme\/0a-1b\/.*\/threads\/(\d+)\/comments\/1\?api-version=7\.1$/.exec(request.url) ?? [];
    if (request.method === "GET" && request.url === THREADS)
      return answerJson(response, 200, { value: threads, count: threads.length });
    if (request.method === "POST" && request.url === THREADS) {
      const { comments, status }: { comments: { content: string }[]; status: number } = JSON.parse(
        request.body,
      );
      threads.push({
        id: threads.length,
        status,
        comments: [{ id: 1, content: comments[0]?.content ?? "" }],
      });
      return answerJson(response, 200, {});
    }
    const [changed] = threads.find((thread) => String(thread.id) === id)?.comments ?? [];
    if (request.method !== "PATCH" || changed === undefined) return answerJson(response, 404, {});
    changed.content = JSON.parse(request.body).content;
    return answerJson(response, 200, {});
  });
}

const azure = (url: string) => ({
  WAYMARK_COMMENT_TOKEN: "head.body.sign",
  TF_BUILD: "True",
  SYSTEM_COLLECTIONURI: `${url}/acme/`,
  SYSTEM_TEAMPROJECTID: "0a-1b",
  BUILD_REPOSITORY_PROVIDER: "TfsGit",
  BUILD_REPOSITORY_ID: "2c-3d",
  SYSTEM_PULLREQUEST_PULLREQUESTID: "7",
});

async function comment(text: string, env: Record<string, string>) {
  const folder = await temporaryFolder();
  await folder.write("summary.md", text);
  return runCaptured(["comment", "summary.md"], { cwd: folder.path, env });
}

describe("waymark comment on Azure Repos", () => {
  test("creates a thread that is closed, and changes its comment in later builds", async () => {
    const threads: Thread[] = [
      {
        id: 0,
        comments: [
          { id: 1, content: "of somebody else" },
          { id: 2, content: "<!-- waymark waymark -->" },
        ],
      },
      { id: 1, isDeleted: true, comments: [{ id: 1, content: "<!-- waymark waymark -->" }] },
      { id: 2, comments: [] },
      { id: 3, comments: [{ id: 1, isDeleted: true, content: "<!-- waymark waymark -->" }] },
    ];
    const server = await startThreads(threads);
    expect(await comment("First\n", azure(server.url))).toEqual({
      exitCode: 0,
      stdout: "Comment created on pull request 7.\n",
      stderr: "",
    });
    expect(await comment("Second\n", azure(server.url))).toMatchObject({
      stdout: "Comment updated on pull request 7.\n",
    });
    expect(threads.slice(4)).toEqual([
      { id: 4, status: 4, comments: [{ id: 1, content: "<!-- waymark waymark -->\nSecond\n" }] },
    ]);
  });

  test("sends the job's token, or a personal one, as Azure wants each", async () => {
    const server = await startThreads([]);
    await comment("Text", azure(server.url));
    await comment("Text", { ...azure(server.url), WAYMARK_COMMENT_TOKEN: "personal" });
    const sent = new Set(server.requests.map(({ headers }) => headers.authorization));
    expect([...sent]).toEqual(["Bearer head.body.sign", "Basic OnBlcnNvbmFs"]);
  });

  test.each([
    ["for a branch", { SYSTEM_PULLREQUEST_PULLREQUESTID: "" }],
    ["of a repository on GitHub", { BUILD_REPOSITORY_PROVIDER: "GitHub" }],
  ])("comments on nothing in a build %s", async (_, more) => {
    const server = await startThreads([]);
    expect(await comment("Text", { ...azure(server.url), ...more })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("This is no build of a pull request"),
    });
    expect(server.requests).toEqual([]);
  });

  test("says what the token needs", async () => {
    const server = await startFakeServer((_request, response) => answerJson(response, 403, {}));
    const { exitCode, stderr } = await comment("Text", azure(server.url));
    expect(exitCode).toBe(3);
    expect(stderr).toContain("Contribute to pull requests");
  });
});

describe("waymark comment on Bitbucket", () => {
  const env = { BITBUCKET_PR_ID: "7", BITBUCKET_WORKSPACE: "acme", BITBUCKET_REPO_SLUG: "shop" };
  const PATH = "/repositories/acme/shop/pullrequests/7/comments";

  test("creates a comment without HTML, and changes it in later builds", async () => {
    const values = [
      { id: 1, deleted: true, content: { raw: "[//]: # (waymark orders)\n\ngone" } },
      { id: 2, content: { raw: "of somebody else" } },
    ];
    const server = await startFakeServer((request, response) => {
      if (request.method === "GET") {
        const isFirst = request.url === `${PATH}?pagelen=100&page=1`;
        const page = isFirst ? values.slice(0, 2) : values.slice(2);
        return answerJson(response, 200, { values: page, ...(isFirst && { next: "https://other.example" }) });
      }
      const { content }: { content: { raw: string } } = JSON.parse(request.body);
      if (request.method === "POST" && request.url === PATH) values.push({ id: 3, content });
      const changed = values.find(({ id }) => request.url === `${PATH}/${id}`);
      if (request.method === "PUT" && changed !== undefined) changed.content = content;
      return answerJson(response, 200, {});
    });
    const thread = bitbucketThread(env, "token", server.url);
    if (thread === undefined) throw new Error("no thread");
    const context = { env: {}, times: DEFAULT_TIMES };
    const reporter = createReporter(new PassThrough(), { quiet: true });
    const marker = thread.markerOf("orders");
    const write = (text: string) =>
      upsertComment(thread, { context, extraCa: undefined, reporter, marker, body: `${marker}\n${text}` });
    expect(await write("First")).toBe("created");
    expect(await write(String.raw`- a<br>b \<br\><details><summary>3 more</summary>x</details>`)).toBe(
      "updated",
    );
    expect(values.slice(2)).toEqual([
      { id: 3, content: { raw: "[//]: # (waymark orders)\n\n" + String.raw`- a · b \<br\>**3 more**x` } },
    ]);
    expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer token");
  });

  test("has an address of Bitbucket, and a mark that an id can't end", () => {
    const thread = bitbucketThread(env, "token");
    expect(thread?.createUrl).toBe(`https://api.bitbucket.org/2.0${PATH}`);
    expect(thread?.markerOf("a) b\n(c")).toBe("[//]: # (waymark a%20b%0Ac)\n");
    expect(bitbucketThread({ ...env, BITBUCKET_WORKSPACE: "a/b" }, "token")).toBeUndefined();
    expect(bitbucketThread({ ...env, BITBUCKET_PR_ID: "" }, "token")).toBeUndefined();
  });
});
