import type { ServerResponse } from "node:http";
import type { OwnKey } from "../../src/api/keys-api.ts";
import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { HOSTILE_APPROVALS } from "./approvals.ts";
import { HOSTILE_DECISIONS, HOSTILE_LISTS_OF_DECISIONS } from "./decisions.ts";
import { HOSTILE_FINDINGS, HOSTILE_INIT } from "./findings.ts";
import { HOSTILE_ENVIRONMENTS } from "./environments.ts";
import { folderWith, type MakeHostile, wellFormed } from "./files.ts";
import { HOSTILE_JOURNEYS } from "./journeys.ts";
import { HOSTILE_LOGINS } from "./logins.ts";
import { refusal } from "./refusal.ts";
import { HOSTILE_RUNS } from "./runs.ts";
import { HOSTILE_SCHEDULES } from "./schedules.ts";
import { HOSTILE_SYNC } from "./sync.ts";

const KEY = ["--api-key", "k"];

/** A valid spec. */
function spec(hostile: string) {
  const text = wellFormed(hostile);
  return {
    openapi: "3.1.0",
    info: { title: text, version: text.slice(0, 80) },
    paths: {
      [`/a${text}/{id}`]: {
        get: { operationId: text, summary: text, tags: [text], responses: { "200": { description: text } } },
        post: { responses: {} },
      },
    },
  };
}

/** `waymark scan` of a spec with hostile texts against a server that answers so. */
function scanOf(
  answer: Answer | undefined,
  more: string[],
  files: (text: string) => Record<string, unknown>,
): MakeHostile {
  return async (text) => {
    const { path: cwd, write } = await folderWith({ "spec.json": spec(text), ...files(text) });
    const server = await startFakeServer(answer);
    await write(
      "rules.yaml",
      "rules: { no-empty-servers: error, operation-summary: error, path-parameters-defined: error }\n",
    );
    const args = [
      "scan",
      "--service",
      wellFormed(text).slice(0, 60),
      "--spec",
      "spec.json",
      ...KEY,
      "--api-url",
      server.url,
      ...more,
    ];
    return { args, cwd };
  };
}

/** Responds to every request of a scan with gates, with hostile texts in the changes. */
function changesFull(hostile: string): Answer {
  const text = wellFormed(hostile);
  const endpoint = { method: "GET", path: text, operationId: text, tags: [text], summary: text };
  const finding = {
    code: text.slice(0, 120),
    severity: "critical",
    message: text,
    method: "GET",
    path: text,
  };
  return (request, response) => {
    if (request.url === "/api/scans/ingest")
      return answerJson(response, 201, {
        scanRunId: RUN_ID,
        status: "completed",
        endpointCount: 1,
        findingCount: 0,
      });
    if (request.url.endsWith("/broken-journeys")) {
      const journeys = [{ id: RUN_ID, path: text, title: text, operations: [endpoint] }];
      return answerJson(response, 200, { scanRunId: RUN_ID, against: RUN_ID, journeys });
    }
    if (request.url.endsWith("/promote"))
      return answerJson(response, 200, { status: "completed", error: null });
    const endpoints = { added: [], removed: [endpoint], changed: [] };
    const findings = { new: [finding], fixed: [], removedWithEndpoint: [], severityChanged: [] };
    return answerJson(response, 200, { scanRunId: RUN_ID, against: RUN_ID, endpoints, findings });
  };
}

/** Responds with a hostile default branch of the service, and refuses the result of the gates. */
function hostileBuild(text: string): Answer {
  return (request, response, raw) => {
    const { pathname, searchParams } = new URL(request.url, "http://api");
    if (pathname.endsWith("/gates")) return refusal(text, 400)(request, response, raw);
    if (pathname !== "/api/services") return changesFull(text)(request, response, raw);
    const service = { name: searchParams.get("name"), defaultBranch: text, defaultBranchIsSet: true };
    return answerJson(response, 200, { services: [service] });
  };
}

function failedRun(text: string): Answer {
  return (request, response) =>
    request.url === "/api/scans/ingest"
      ? answerJson(response, 201, {
          scanRunId: RUN_ID,
          status: "accepted",
          endpointCount: 1,
          findingCount: 0,
        })
      : answerJson(response, 200, { status: "failed", error: { code: text, message: text } });
}

function withText(
  make: (text: string) => Answer,
  more: string[],
  files?: (text: string) => Record<string, unknown>,
): MakeHostile {
  return (text) => scanOf(make(text), more, files ?? (() => ({})))(text);
}

const dryRun = (files: (text: string) => Record<string, unknown>, more: string[] = []): MakeHostile =>
  scanOf(undefined, ["--dry-run", ...more], files);

/** A file name can contain everything except a slash and NUL. */
function fileName(text: string): string {
  return Buffer.from(text.replaceAll("/", "").slice(0, 60)).toString();
}

/** Two descriptions with hostile texts: added, removed and changed endpoints and findings. */
function diffOf(more: string[]): MakeHostile {
  return async (text) => {
    const before = spec(text);
    const after = {
      ...before,
      paths: { [`/b${text}/{id}`]: { get: {} }, [`/a${text}/{id}`]: { get: { operationId: `${text}2` } } },
    };
    const name = `head${fileName(text)}.json`;
    const { path: cwd } = await folderWith({ "base.json": before, [name]: after });
    return { args: ["diff", "base.json", name, ...more], cwd };
  };
}

const diffs: Record<string, MakeHostile> = {
  changes: diffOf(["--lint"]),
  "failed gates": diffOf(["--fail-on", "info", "--fail-on-removed"]),
  JSON: diffOf(["--fail-on", "info", "--json"]),
  "JSON lines": diffOf(["--fail-on", "info", "--format=jsonl"]),
  annotations: diffOf(["--lint", "--format=github"]),
  Markdown: diffOf(["--lint", "--format=markdown"]),
  SARIF: diffOf(["--lint", "--format=sarif"]),
};

/** `waymark minify` of a description with hostile texts, in a file with such a name. */
function minifyOf(more: string[], content: (text: string) => unknown = spec): MakeHostile {
  return async (text) => {
    const name = `a${fileName(text)}.json`;
    const { path: cwd } = await folderWith({ [name]: content(text) });
    return { args: ["minify", name, ...more], cwd };
  };
}

const minified: Record<string, MakeHostile> = {
  "a description": minifyOf([]),
  "a part of it": minifyOf(["--include-path", "/a*"]),
  "a file that is no description": minifyOf([], (text) => ({ openapi: text })),
};

const scans: Record<string, MakeHostile> = {
  "a dry run": dryRun(() => ({})),
  "a refusal of the server": withText((text) => refusal(text, 400), []),
  "a server that is away": withText(
    (text) => refusal(text, 503),
    ["--on-upload-error", "warn", "--spool", "spool"],
  ),
  "failed gates": withText(changesFull, ["--fail-on", "info", "--rules", "rules.yaml", "--fail-on-removed"]),
  "changes as JSON lines": withText(changesFull, ["--fail-on-removed", "--lint", "--format=jsonl"]),
  "journeys that it breaks": withText(changesFull, ["--fail-on-broken-journeys"]),
  "gates on what is new": withText(changesFull, ["--fail-on", "info", "--new-only", "--rules", "rules.yaml"]),
  "a build whose branch is not the default one, and whose gates can't be stored": async (text) => ({
    ...(await withText(hostileBuild, ["--fail-on", "info", "--rules", "rules.yaml"])(text)),
    env: { CIRCLECI: "true", CIRCLE_BRANCH: `feature-${text}` },
  }),
  "a run that fails": withText(failedRun, ["--wait"]),
  ...HOSTILE_FINDINGS(dryRun),
  "a redirect": withText(
    (text) => (_request, response: ServerResponse) => {
      const location = text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "");
      response.writeHead(302, { location }).end();
    },
    [],
  ),
  "a remote $ref": dryRun((text) => ({
    "spec.json": { openapi: "3.1.0", paths: { [`/${text}`]: { $ref: `https://evil.example/${text}` } } },
  })),
  "a $ref that leads nowhere": dryRun((text) => ({
    "spec.json": { openapi: "3.1.0", paths: { [`/${text}`]: { $ref: `#/${text}` } } },
  })),
  "a $ref to a file that isn't there": dryRun((text) => ({
    "spec.json": { openapi: "3.1.0", paths: { [`/${text}`]: { $ref: `./${text}.json` } } },
  })),
  "a $ref out of the folder": dryRun((text) => ({
    "spec.json": { openapi: "3.1.0", paths: { [`/${text}`]: { $ref: `../../${text}.json` } } },
  })),
  "operations that a scan leaves out": dryRun((text) => ({
    "spec.json": { openapi: "3.2.0", info: {}, paths: { "/a": { additionalOperations: { [text]: {} } } } },
  })),
  "a version that is none": dryRun((text) => ({ "spec.json": { openapi: text } })),
  "texts over the limits": dryRun((text) => {
    const { info, ...rest } = spec(text.repeat(40));
    return { "spec.json": { ...rest, info: { ...info, title: text.repeat(20) } } };
  }),
  "an operation that is none": dryRun((text) => ({
    "spec.json": { openapi: "3.1.0", info: {}, paths: { [text]: { get: text } } },
  })),
  "broken YAML": dryRun((text) => ({ "spec.json": `openapi: [\n${text}: &a {*b` })),
  "a waymark.yaml with unknown fields": dryRun((text) => ({
    "waymark.yaml": { [text]: 1, [`${text}token`]: 2 },
  })),
  "a waymark.yaml with a wrong address": async (text) => {
    const { path: cwd } = await folderWith({
      "spec.json": spec(""),
      "waymark.yaml": {
        url: `https://a.example/${text}`,
        spec: "spec.json",
        service: wellFormed(text).slice(0, 60),
      },
    });
    return { args: ["scan", ...KEY], cwd };
  },
  "a waymark.yaml with the address of another": async (text) => {
    const { path: cwd } = await folderWith({
      "spec.json": spec(""),
      "waymark.yaml": { url: "https://a.example", spec: "spec.json", service: wellFormed(text).slice(0, 60) },
    });
    return { args: ["scan", ...KEY], cwd };
  },
  "files of waymark.yaml that aren't there": async (text) => {
    const { path: cwd } = await folderWith({
      "waymark.yaml": { spec: fileName(text), service: wellFormed(text) },
    });
    return { args: ["scan", "--dry-run"], cwd };
  },
  "a ruleset that isn't there": async (text) => {
    const { path: cwd } = await folderWith({
      "spec.json": spec(text),
      "waymark.yaml": { spec: "spec.json", service: "s", rules: fileName(text), lint: true },
    });
    return { args: ["scan", "--dry-run"], cwd };
  },
  "a ruleset with unknown fields": dryRun(
    (text) => ({ "r.yaml": { [text]: text, rules: { [text]: text } } }),
    ["--rules", "r.yaml"],
  ),
  "a ruleset with a plugin": async (text) => {
    const name = fileName(text);
    const { path: cwd } = await folderWith({
      "spec.json": spec(""),
      "r.yaml": { plugins: [`./${name}`] },
      [name]: "",
    });
    return { args: ["scan", "--dry-run", "--service", "s", "--spec", "spec.json", "--rules", "r.yaml"], cwd };
  },
  "findings as annotations": async (text) => {
    const name = fileName(text);
    const { path: cwd } = await folderWith({ [name]: spec(text) });
    const env = { GITHUB_ACTIONS: "true" };
    return {
      args: ["scan", "--dry-run", "--service", "s", "--spec", name, "--lint", "--report-sarif", "out.sarif"],
      cwd,
      env,
    };
  },
};

function doctorOf(
  key: (text: string) => Record<string, unknown>,
  service = (text: string) => text,
): MakeHostile {
  return async (text) => {
    const server = await startFakeServer((request, response) => {
      if (request.url === "/healthz") return answerJson(response, 200, {});
      if (request.url.startsWith("/api/services")) return answerJson(response, 200, { services: [] });
      return answerJson(response, 200, { ...KEY_METADATA, ...key(text) });
    });
    const { path: cwd } = await folderWith({ "waymark.yaml": { service: service(text) } });
    return { args: ["doctor", ...KEY, "--api-url", server.url], cwd };
  };
}

const KEY_METADATA: OwnKey = {
  id: RUN_ID,
  name: "ci",
  prefix: "wmk_abc",
  scopes: [{ permission: "*" }],
  expiresAt: null,
  organizationId: RUN_ID,
};

const doctors: Record<string, MakeHostile> = {
  "names of key and service": doctorOf((text) => ({ name: text, prefix: text })),
  "constraints that are not met": doctorOf((text) => ({
    scopes: [
      {
        permission: "*",
        resourceType: wellFormed(text).slice(0, 80),
        resourceConstraints: { [wellFormed(text)]: [wellFormed(text)] },
      },
    ],
  })),
  "names of constraints": doctorOf((text) => ({
    scopes: [{ permission: "*", resourceConstraints: { [wellFormed(text)]: true } }],
  })),
  "a response that is not of Waymark": doctorOf((text) => ({ id: text })),
  "the claims of a build, and a refusal": doctorOfBuild((text) => ({
    sub: text,
    aud: [text],
    "kubernetes.io": { [text]: text },
  })),
};

/** `waymark doctor` in a build whose token says this. */
function doctorOfBuild(claims: (text: string) => Record<string, unknown>): MakeHostile {
  return async (text) => {
    const server = await startFakeServer((request, response) => {
      if (request.url === "/healthz") return answerJson(response, 200, {});
      const details = [{ path: text, message: text }];
      return answerJson(response, 403, { error: { code: "identity_not_trusted", message: text, details } });
    });
    const { path: cwd } = await folderWith({});
    const payload = Buffer.from(JSON.stringify(claims(text))).toString("base64url");
    return {
      args: ["doctor", "--api-url", server.url],
      cwd,
      env: { WAYMARK_ID_TOKEN: `e30.${payload}.AAAA` },
    };
  };
}

const flushes: Record<string, MakeHostile> = {
  "a spooled scan that is none": async (text) => {
    const { path: cwd } = await folderWith({ [`spool/${fileName(text)}.scan.json`]: { version: text } });
    return { args: ["flush", "--spool", "spool", ...KEY], cwd };
  },
  "a refusal of the server": async (text) => {
    const server = await startFakeServer(refusal(text, 400));
    const { title, version } = spec(text).info;
    const payload = {
      service: { name: wellFormed(text).slice(0, 60) },
      spec: {
        hash: "0".repeat(64),
        format: "openapi",
        title: wellFormed(title),
        version: version.slice(0, 20),
      },
      endpoints: [],
      findings: [],
    };
    const scan = { version: 1, idempotencyKey: "a", scannedAt: "2026-01-01T00:00:00Z", payload };
    const { path: cwd } = await folderWith({ [`spool/${fileName(text)}.scan.json`]: scan });
    return { args: ["flush", "--spool", "spool", ...KEY, "--api-url", server.url], cwd };
  },
};

const comments: Record<string, MakeHostile> = {
  "a file, an id and comments": async (text) => {
    const server = await startFakeServer((_request, response) =>
      answerJson(response, 200, [{ id: 1, body: text }]),
    );
    const { path: cwd } = await folderWith({ [fileName(text)]: `"${wellFormed(text)}"` });
    const env = {
      WAYMARK_COMMENT_TOKEN: "t",
      CI_API_V4_URL: server.url,
      CI_PROJECT_ID: "1",
      CI_MERGE_REQUEST_IID: "7",
    };
    return { args: ["comment", fileName(text), "--id", text], cwd, env };
  },
  "a file that isn't there": async (text) => ({ args: ["comment", `./${text}`], cwd: "/" }),
};

/** The cases by command and by the text that is hostile. */
export const HOSTILE_LINES: Record<string, Record<string, MakeHostile>> = {
  scan: scans,
  init: HOSTILE_INIT,
  diff: diffs,
  minify: minified,
  approve: HOSTILE_APPROVALS,
  decide: HOSTILE_DECISIONS,
  decisions: HOSTILE_LISTS_OF_DECISIONS,
  flush: flushes,
  doctor: doctors,
  comment: comments,
  help: { "a command": async (text) => ({ args: ["help", text], cwd: "/" }) },
  completion: { "a shell": async (text) => ({ args: ["completion", text], cwd: "/" }) },
  ...HOSTILE_LOGINS,
  ...HOSTILE_ENVIRONMENTS,
  ...HOSTILE_JOURNEYS,
  ...HOSTILE_SYNC,
  ...HOSTILE_RUNS,
  ...HOSTILE_SCHEDULES,
};
