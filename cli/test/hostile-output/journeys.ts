import { HOSTILE_CLOUD_COVERAGE, HOSTILE_CLOUD_RUN, HOSTILE_REPLAY } from "./runs.ts";
import { answerJson, startFakeServer } from "../../src/test-support/fake-server.ts";
import { type HostileLine, folderWith, type MakeHostile, wellFormed } from "./files.ts";

/** A valid journey with hostile texts wherever a text is free; the server decides whether it passes. */
function journey(text: string) {
  return {
    arazzo: "1.1.0",
    info: { title: text, version: text, summary: text },
    sourceDescriptions: [{ name: "echo", type: "openapi", url: "./echo.json" }],
    workflows: [
      {
        workflowId: "main",
        summary: text,
        steps: [
          {
            stepId: "say",
            description: text,
            operationId: "echo",
            successCriteria: [
              { "x-id": "ok", condition: "$statusCode == 200" },
              { "x-id": "same", condition: `$response.body#/word == '${text.replaceAll("'", "")}'` },
            ],
            outputs: { said: "$response.body#/word", all: "$response.body" },
          },
          {
            stepId: "then",
            operationId: "echo",
            successCriteria: [{ "x-id": "ok", condition: "$statusCode == 200" }],
          },
        ],
        outputs: { said: "$steps.say.outputs.said" },
        "x-journey": { acceptanceCriteria: [{ id: "AC-1", text, severity: "must", provenBy: ["say#ok"] }] },
      },
    ],
  };
}

function openapi(text: string) {
  const response = { description: text, content: { "application/json": { schema: { type: "integer" } } } };
  return {
    openapi: "3.1.0",
    info: { title: text, version: "1" },
    paths: {
      "/echo": { post: { operationId: "echo", summary: text, responses: { "200": response } } },
      "/things": { post: { summary: text, responses: {} } },
      "/things/{id}": { get: { operationId: `t${text}`, responses: {} } },
      [`/things${text}`]: {
        post: { summary: text, responses: {} },
        get: { operationId: text, responses: {} },
      },
      [`/things${text}/{id}`]: { get: { summary: text, responses: {} }, delete: { responses: {} } },
    },
  };
}

/** Hostile at every place that a document has. */
function broken(text: string) {
  return {
    [text]: text,
    arazzo: text,
    info: { title: text, [text]: text },
    sourceDescriptions: [{ name: text, type: text, url: text }],
    workflows: [
      {
        workflowId: text,
        steps: [
          {
            stepId: text,
            operationId: text,
            successCriteria: [{ condition: `$${text} == ${text}` }],
            outputs: { [text]: `$${text}` },
          },
        ],
        "x-journey": {
          secrets: { [text]: { ref: text } },
          acceptanceCriteria: [{ id: text, provenBy: [text] }],
        },
      },
    ],
  };
}

const name = (text: string, extension: string) =>
  `${Buffer.from(wellFormed(text).replaceAll("/", "").slice(0, 60)).toString()}.${extension}`;

function of(
  command: string,
  rest: (text: string) => string[],
  files: (text: string) => Record<string, unknown> = () => ({}),
): MakeHostile {
  return async (foreign) => {
    const text = wellFormed(foreign);
    const { path: cwd } = await folderWith({
      "a.json": journey(text),
      "echo.json": openapi(text),
      "broken.json": broken(text),
      [name(text, "json")]: broken(text),
      "half.json": broken(foreign),
      ...files(text),
    });
    return { args: ["journey", command, ...rest(text)], cwd };
  };
}

function run(
  status: number,
  more: (text: string) => string[],
  document = (text: string): unknown => journey(text),
): MakeHostile {
  return async (foreign): Promise<HostileLine> => {
    const text = wellFormed(foreign);
    const server = await startFakeServer((_request, response) =>
      answerJson(response, status, { word: text.replaceAll("'", ""), [foreign]: foreign }),
    );
    const { path: cwd } = await folderWith({ "a.json": document(text), "echo.json": openapi(text) });
    return { args: ["journey", "run", "a.json", "--server", `echo=${server.url}`, ...more(text)], cwd };
  };
}

/** The line of a run as one of a try: `run` has the server that answers with hostile text. */
function attempt(status: number, more: (text: string) => string[], step = "say"): MakeHostile {
  return async (foreign) => {
    const { args, ...line } = await run(status, more)(foreign);
    return { ...line, args: ["journey", "try", "a.json", step, ...args.slice(3)] };
  };
}

function resultFile(text: string) {
  return {
    schema: "journey-result/1",
    status: text,
    journey: { id: text, title: text },
    acceptance: [{ id: text, text, severity: text, status: "failed", by: [text] }],
    coverage: {
      operations: [
        {
          source: text,
          operationId: text,
          method: text,
          path: text,
          calls: 0,
          statuses: [],
          asserted: false,
        },
        { source: text, method: text, path: `${text}2`, calls: 1, statuses: [200], asserted: false },
      ],
      notInInventory: [{ method: text, url: text, calls: 1 }],
    },
  };
}

const postman = (text: string) => ({
  info: { name: text, schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  event: [{ listen: "prerequest", script: { exec: [text] } }],
  item: [
    {
      name: text,
      event: [{ listen: "test", script: { exec: [text] } }],
      request: { method: "GET", url: `https://a.example/${text}` },
    },
  ],
});

const har = (text: string) => ({
  log: {
    version: "1.2",
    creator: { name: text, version: text },
    entries: [
      {
        startedDateTime: "2026-01-01T00:00:00Z",
        time: 1,
        comment: text,
        request: {
          method: "GET",
          url: `https://a.example/${encodeURIComponent(wellFormed(text))}`,
          httpVersion: "HTTP/1.1",
          headers: [{ name: text, value: text }],
          queryString: [],
          cookies: [],
        },
        response: {
          status: 200,
          statusText: text,
          headers: [],
          cookies: [],
          content: { size: 1, mimeType: text, text },
        },
      },
    ],
  },
});

const overlay = (text: string) => ({
  overlay: text,
  info: { title: text, version: text },
  extends: "./a.json",
  actions: [{ target: `$.${text}`, update: text }],
});

export const HOSTILE_JOURNEYS: Record<string, Record<string, MakeHostile>> = {
  "journey try": {
    "a step that passes by chance": attempt(200, () => []),
    "a step that fails": attempt(500, () => []),
    "a step that is not reached": attempt(500, () => [], "then"),
    "a dry run": attempt(200, () => ["--dry-run"], "then"),
    "a step that does not exist": (text) => attempt(200, () => [], `x${wellFormed(text)}`)(text),
    "an input that there is not": attempt(200, (text) => ["--input", `${text}=${text}`]),
    "a document that does not compile": of("try", () => ["broken.json", "say"]),
  },
  "journey run": {
    "a run that passes its contract by chance": run(200, () => []),
    "a run that fails": run(500, () => []),
    "annotations of what failed": async (text) => ({
      ...(await run(500, () => [])(text)),
      env: { GITHUB_ACTIONS: "true" },
    }),
    "a run on the server": HOSTILE_CLOUD_RUN,
    "a run that is repeated": HOSTILE_REPLAY,
    "what failed": run(500, () => ["--quiet"]),
    "rows at the same time": async (text) => {
      const line = await run(500, () => ["--parallel", "2"])(text);
      return { ...line, args: [...line.args, "a.json"], env: { CI: "true" } };
    },
    "a HAR report": run(500, () => ["--report", "har=-"]),
    "a JSON report": run(500, () => ["--report", "json=-"]),
    "a CTRF report": run(500, () => ["--report", "ctrf=-"]),
    "names that aren't there": run(200, (text) => ["--input", `${text}=1`, "--server", `${text}=http://a`]),
    "a broken document": run(200, () => [], broken),
    "a secret that isn't there": run(
      200,
      () => [],
      (text) => {
        const document = journey(text);
        const [workflow] = document.workflows;
        Object.assign(workflow?.["x-journey"] ?? {}, { secrets: { key: { ref: `env:${text}` } } });
        return document;
      },
    ),
    "an environment that isn't there": run(200, (text) => ["--env", text]),
    "an artifact that was changed": run(
      200,
      () => [],
      (text) => ({ artifact: text, program: text }),
    ),
    "data with odd columns": async (text) => {
      const line = await run(200, () => ["--data", "rows.csv"])(text);
      const { writeFile } = await import("node:fs/promises");
      await writeFile(`${line.cwd}/rows.csv`, `"${wellFormed(text).replaceAll('"', "")}",b\n1,2\n`);
      return line;
    },
  },
  "journey lint": {
    "a good document": of("lint", () => ["a.json"]),
    "a broken document": of("lint", () => ["broken.json"]),
    "a broken document with an odd name": of("lint", (text) => [name(text, "json")]),
    "half of a surrogate pair": of("lint", () => ["half.json"]),
    "a file that isn't there": of("lint", (text) => [`no${name(text, "json")}`]),
    "an overlay": of(
      "lint",
      () => ["o.json"],
      (text) => ({ "o.json": overlay(text) }),
    ),
  },
  "journey build": {
    "a good document": of("build", () => ["a.json"]),
    "to an odd name": of("build", (text) => ["a.json", "--out", name(text, "x")]),
    "a broken document": of("build", () => ["broken.json"]),
    "an overlay": of(
      "build",
      () => ["a.json", "--overlay", "o.json"],
      (text) => ({ "o.json": overlay(text) }),
    ),
  },
  "journey coverage": {
    ...HOSTILE_CLOUD_COVERAGE,
    "a result": of(
      "coverage",
      () => ["r.json", "--min", "100"],
      (text) => ({ "r.json": resultFile(text) }),
    ),
    "a description": of(
      "coverage",
      (text) => ["r.json", "--openapi", `${text.replaceAll("=", "")}=echo.json`],
      (text) => ({ "r.json": resultFile(text) }),
    ),
    "a file that is no result": of(
      "coverage",
      () => ["r.json"],
      (text) => ({ "r.json": { [text]: text } }),
    ),
  },
  "journey edit": {
    "a value": of("edit", (text) => ["a.json", "--set", `/info/title=${text}`]),
    "a change as a diff": of("edit", () => ["a.json", "--set", "/info/version=2", "--dry-run"]),
    "a place that isn't there": of("edit", (text) => ["a.json", "--set", `/${text}/b=1`]),
    "a step that isn't there": of("edit", (text) => ["a.json", "--remove-step", text]),
    "edits that are none": of(
      "edit",
      () => ["a.json", "--edits", "e.json"],
      (text) => ({ "e.json": [{ op: text, [text]: text }] }),
    ),
  },
  "journey import": {
    "a collection": of(
      "import",
      () => ["postman", "p.json"],
      (text) => ({ "p.json": postman(text) }),
    ),
    "a recording": of(
      "import",
      () => ["har", "h.json"],
      (text) => ({ "h.json": har(text) }),
    ),
    "an unknown format": of("import", (text) => [text, "h.json"]),
    "a file that is none": of(
      "import",
      () => ["har", "h.json"],
      (text) => ({ "h.json": { [text]: text } }),
    ),
  },
  "journey export": {
    "a good document": of("export", () => ["arazzo", "a.json"]),
    "to an odd name": of("export", (text) => ["arazzo", "a.json", "--out", name(text, "yaml")]),
    "a broken document": of("export", () => ["arazzo", "broken.json"]),
    "an unknown format": of("export", (text) => [text, "a.json"]),
  },
  "journey new": {
    "from a description": of("new", () => ["made", "--openapi", "echo.json"]),
    "the resources of a description": of("new", () => ["--openapi", "echo.json", "--list"]),
    "a resource that isn't there": of("new", (text) => [
      "made",
      "--openapi",
      "echo.json",
      "--resource",
      text,
    ]),
    "an odd name": of("new", (text) => [name(text, "yaml"), "--title", text]),
    "from a broken template": of("new", () => ["b.yaml", "--template", "broken.json"]),
  },
};

/** Files on standard output. They are for the next program, which gets them byte for byte; a terminal does not. */
export const HOSTILE_DOCUMENTS: Record<string, MakeHostile> = {
  "journey new --template": of("new", () => ["-", "--template", "a.json"]),
  "journey new --openapi": of("new", () => ["-", "--openapi", "echo.json", "--resource", "/things"]),
  "journey edit": async (text) => {
    const { path: cwd } = await folderWith({});
    const stdin = JSON.stringify(journey(wellFormed(text)), undefined, 2);
    return { args: ["journey", "edit", "-", "--set", "/info/version=2"], cwd, stdin };
  },
  "journey build": of("build", () => ["a.json", "--out", "-"]),
  "journey export": of("export", () => ["arazzo", "a.json", "--out", "-"]),
  "journey import": of(
    "import",
    () => ["postman", "p.json", "--out", "-"],
    (text) => ({ "p.json": postman(text) }),
  ),
};

/** Reports in markup on standard output: they have line breaks of foreign texts, and nothing that a CI system would act on. */
export const HOSTILE_REPORTS: Record<string, MakeHostile> = {
  junit: run(500, () => ["--report", "junit=-"]),
  html: run(500, () => ["--report", "html=-"]),
};
