import { expect, test } from "vitest";
import { type FakeApiOptions, startFakeApi } from "../test-support/fake-api.ts";
import { answerJson } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths: {} });
/** A system that doesn't say the default branch. */
const CIRCLE = { CIRCLECI: "true", CIRCLE_BRANCH: "develop" };

/** Scans on a server that answers requests for services in this way. */
async function scan(
  answer: { status: number; service?: object },
  {
    args = [],
    env = CIRCLE,
    project = "",
  }: { args?: string[]; env?: Record<string, string>; project?: string } = {},
) {
  const isAsked = (url: string | undefined) => url?.startsWith("/api/services?") === true;
  const intercept: FakeApiOptions["intercept"] = ({ url }, response) => {
    if (!isAsked(url)) return false;
    const error = { code: "x", message: "no" };
    const services = answer.service === undefined ? [] : [{ id: "x", name: "s", ...answer.service }];
    answerJson(response, answer.status, answer.status === 200 ? { services } : { error });
    return true;
  };
  const server = await startFakeApi({ intercept });
  const folder = await temporaryFolder();
  if (project !== "") await folder.write("waymark.yaml", project);
  const result = await runCaptured(
    ["scan", "--service", "s", "--spec", "-", "--no-description", "--api-url", server.url, ...args],
    { stdin: SPEC, cwd: folder.path, env: { SERVICE_API_KEY: "k", ...env } },
  );
  const promoted = [...server.runs.values()].map((run) => run.promoted);
  return { ...result, promoted, asked: server.requests.filter(({ url }) => isAsked(url)).length };
}

const UNKNOWN = /^Note: stored, not current: branch develop, and the default branch is unknown\. Set /;

test("where the build doesn't name the default branch, the one that is set for the service decides", async () => {
  const ofDevelop = { status: 200, service: { defaultBranch: "develop", defaultBranchIsSet: true } };
  expect(await scan(ofDevelop)).toMatchObject({
    promoted: [true],
    stderr: "Note: current: branch develop is the default branch.\n",
  });
  expect(await scan(ofDevelop, { env: { ...CIRCLE, CIRCLE_BRANCH: "main" } })).toMatchObject({
    promoted: [false],
    stderr: "Note: stored, not current: branch main, the default branch is develop.\n",
  });
});

test.each([
  [
    "one that only scans name",
    { status: 200, service: { defaultBranch: "develop", defaultBranchIsSet: false } },
  ],
  [
    "one of a service without any",
    { status: 200, service: { defaultBranch: null, defaultBranchIsSet: false } },
  ],
  ["one of a server that doesn't know it", { status: 200, service: {} }],
  ["one of a service that does not exist", { status: 200 }],
  ["one that the key can't read", { status: 403 }],
  ["one of a server that fails", { status: 503 }],
])("the default branch is unknown, and the scan is sent: %s", async (_, answer) => {
  const result = await scan(answer);
  expect(result).toMatchObject({ exitCode: 0, promoted: [false], asked: 1 });
  expect(result.stderr).toMatch(UNKNOWN);
});

test.each([
  ["an option decides", { args: ["--promote"] }],
  ["waymark.yaml names the default branch", { project: "defaultBranch: main\n" }],
  [
    "the CI system names it",
    { env: { GITLAB_CI: "true", CI_COMMIT_BRANCH: "x", CI_DEFAULT_BRANCH: "main" } },
  ],
  ["it is no build", { env: {} }],
  ["it is a build of a pull request", { env: { ...CIRCLE, CIRCLE_PR_NUMBER: "7" } }],
])("the server is not asked if %s", async (_, options) => {
  expect(await scan({ status: 503 }, options)).toMatchObject({ exitCode: 0, asked: 0 });
});
