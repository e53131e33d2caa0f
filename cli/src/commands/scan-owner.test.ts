import { expect, test } from "vitest";
import { type FakeApiOptions, startFakeApi } from "../test-support/fake-api.ts";
import { answerJson } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths: {} });
const TEAMS = [{ slug: "payments", handles: ["@acme/payments"] }];

interface Answers {
  /** The owner that the service has; undefined for a server without owners. */
  ownerTeam?: { slug: string } | null | undefined;
  /** The status of the response to the change. */
  change?: number;
  /** The code of its error. */
  code?: string;
}

/** Scans a description of a repository with these files. */
async function scan(
  files: Record<string, string>,
  { ownerTeam, change = 200, code = "permission_denied" }: Answers,
  args: string[] = [],
) {
  const changes: unknown[] = [];
  const intercept: FakeApiOptions["intercept"] = ({ url, method, body }, response) => {
    if (url.startsWith("/api/teams")) answerJson(response, 200, { teams: TEAMS });
    else if (!/^\/api\/services\/[^/?]+$/.test(url)) return false;
    else if (method === "GET") answerJson(response, 200, ownerTeam === undefined ? {} : { ownerTeam });
    else {
      changes.push(JSON.parse(body));
      answerJson(response, change, change === 200 ? {} : { error: { code, message: "It may not." } });
    }
    return true;
  };
  const server = await startFakeApi({ intercept });
  const folder = await temporaryFolder();
  await folder.write(".git/HEAD", "ref: refs/heads/main\n");
  await folder.write("apis/openapi.json", SPEC);
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  const scanned = ["scan", "--service", "s", "--spec", "apis/openapi.json", "--no-description"];
  const result = await runCaptured([...scanned, "--api-url", server.url, ...args], {
    cwd: folder.path,
    env: { SERVICE_API_KEY: "k" },
  });
  return { ...result, changes, asked: server.requests.map(({ url }) => url) };
}

const OWNED = { ".github/CODEOWNERS": "* @acme/other @acme/Payments\n" };
const NAMED = { "waymark.yaml": "owner: payments\n" };

test("owner of waymark.yaml is set where the service has no owner, and wins over CODEOWNERS", async () => {
  const { exitCode, stderr, changes } = await scan({ ...OWNED, ...NAMED }, { ownerTeam: null });
  expect({ exitCode, changes }).toEqual({ exitCode: 0, changes: [{ ownerTeam: "payments" }] });
  expect(stderr).toMatch(/the team payments owns the service now, as waymark\.yaml says/);
});

test("CODEOWNERS gives the service to the team that has one of its names", async () => {
  const { stderr, changes } = await scan(OWNED, { ownerTeam: null });
  expect(changes).toEqual([{ ownerTeam: "payments" }]);
  expect(stderr).toMatch(/as CODEOWNERS says/);
  const strangers = await scan({ CODEOWNERS: "* @acme/strangers\n" }, { ownerTeam: null });
  expect(strangers).toMatchObject({ changes: [], stderr: "", exitCode: 0 });
});

test("a service that has an owner keeps it, and a different one in waymark.yaml is said", async () => {
  const { changes, stderr, exitCode } = await scan(NAMED, { ownerTeam: { slug: "orders" } });
  expect({ changes, exitCode }).toEqual({ changes: [], exitCode: 0 });
  expect(stderr).toMatch(/the team orders owns the service, and waymark\.yaml says payments/);
  expect(await scan(NAMED, { ownerTeam: { slug: "payments" } })).toMatchObject({ changes: [], stderr: "" });
  expect(await scan(OWNED, { ownerTeam: { slug: "orders" } })).toMatchObject({ changes: [], stderr: "" });
});

test("a team that there is not, and a key that may not, are said with what to do, and fail nothing", async () => {
  const unknown = await scan(NAMED, { ownerTeam: null, change: 404, code: "not_found" });
  expect(unknown).toMatchObject({ exitCode: 0 });
  expect(unknown.stderr).toMatch(/the owner payments of waymark\.yaml was not set: no team has that name/);
  const refused = await scan(OWNED, { ownerTeam: null, change: 403 });
  expect(refused).toMatchObject({ exitCode: 0 });
  expect(refused.stderr).toMatch(/the owner payments of CODEOWNERS was not set: .*\n.*can set it once/);
});

test("nothing is asked without a name of an owner, for a run that is not current, and of an older server", async () => {
  const isAsked = ({ asked }: Awaited<ReturnType<typeof scan>>) =>
    asked.some((url) => /^\/api\/(teams|services\/)/.test(url ?? ""));
  expect(isAsked(await scan({}, { ownerTeam: null }))).toBe(false);
  expect(isAsked(await scan(NAMED, { ownerTeam: null }, ["--no-promote"]))).toBe(false);
  expect(await scan(NAMED, {})).toMatchObject({ changes: [], stderr: "", exitCode: 0 });
});

test("an owner that can be no team is an error of waymark.yaml", async () => {
  const { exitCode, stderr } = await scan({ "waymark.yaml": "owner: Pay ments\n" }, { ownerTeam: null });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/owner: must be the slug of a team/);
});
