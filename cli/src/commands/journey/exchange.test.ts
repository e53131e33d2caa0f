import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const SECRET = "canary-51e2a9c07f3d";

const COLLECTION = {
  info: { name: "Warehouse", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  auth: { type: "bearer", bearer: [{ key: "token", value: "{{accessToken}}", type: "string" }] },
  event: [
    {
      listen: "prerequest",
      script: { type: "text/javascript", exec: ["pm.globals.set('now', Date.now());"] },
    },
  ],
  variable: [
    { key: "baseUrl", value: "https://warehouse.example/api" },
    { key: "warehouse", value: "north" },
    { key: "clientSecret", value: SECRET, type: "secret" },
  ],
  item: [
    {
      name: "Login",
      event: [
        {
          listen: "test",
          script: {
            exec: [
              "pm.test('in', () => pm.response.to.have.status(200));",
              "pm.environment.set('accessToken', pm.response.json().token);",
            ],
          },
        },
      ],
      request: {
        auth: { type: "noauth" },
        method: "POST",
        header: [{ key: "Content-Type", value: "application/json" }],
        body: {
          mode: "raw",
          raw: `{"id":"shop","secret":"${SECRET}"}`,
          options: { raw: { language: "json" } },
        },
        url: { raw: "{{baseUrl}}/login", host: ["{{baseUrl}}"], path: ["login"] },
      },
      response: [],
    },
    {
      name: "Stock",
      item: [
        {
          name: "Read stock",
          event: [
            { listen: "test", script: { exec: ["pm.expect(pm.response.json().items).to.be.an('array');"] } },
          ],
          request: {
            method: "GET",
            header: [],
            url: {
              raw: "{{baseUrl}}/:warehouse/stock?limit=10",
              host: ["{{baseUrl}}"],
              path: [":warehouse", "stock"],
              query: [{ key: "limit", value: "10" }],
              variable: [{ key: "warehouse", value: "{{warehouse}}" }],
            },
          },
        },
        {
          name: "Upload a count",
          request: {
            method: "POST",
            header: [{ key: "X-Api-Key", value: SECRET }],
            body: {
              mode: "formdata",
              formdata: [
                { key: "file", type: "file", src: "/tmp/count.csv" },
                { key: "day", value: "2026-01-01", type: "text" },
              ],
            },
            url: "{{baseUrl}}/{{warehouse}}/counts",
          },
        },
      ],
    },
  ],
};

const HAR = {
  log: {
    version: "1.2",
    creator: { name: "browser", version: "1" },
    entries: [
      {
        startedDateTime: "2026-01-01T00:00:00Z",
        time: 1,
        request: {
          method: "GET",
          url: "https://shop.example/",
          httpVersion: "h2",
          headers: [],
          queryString: [],
          cookies: [],
          headersSize: -1,
          bodySize: 0,
        },
        response: {
          status: 200,
          statusText: "",
          headers: [],
          cookies: [],
          content: { size: 1, mimeType: "text/html", text: "<p>" },
          redirectURL: "",
          headersSize: -1,
          bodySize: 1,
        },
        cache: {},
        timings: { send: 0, wait: 1, receive: 0 },
      },
      {
        request: {
          method: "POST",
          url: "https://api.shop.example/v2/carts?key=plain",
          headers: [
            { name: "cookie", value: `sid=${SECRET}` },
            { name: "accept", value: "application/json" },
          ],
          postData: { mimeType: "application/json", text: '{"sku":"A-1","count":2}' },
        },
        response: { status: 201, content: { mimeType: "application/json", text: '{"cartId":"c-88217"}' } },
      },
      {
        request: {
          method: "DELETE",
          url: "https://api.shop.example/v2/carts/c-88217",
          headers: [{ name: "cookie", value: `sid=${SECRET}` }],
        },
        response: { status: 204, content: { mimeType: "", text: "" } },
      },
    ],
  },
};

async function project() {
  const folder = await temporaryFolder();
  await folder.write("shop.postman_collection.json", JSON.stringify(COLLECTION));
  await folder.write("checkout.har", JSON.stringify(HAR));
  const waymark = (...args: string[]) => runCaptured(["journey", ...args], { cwd: folder.path });
  const text = (name: string) => readFile(path.join(folder.path, name), "utf8");
  return { folder, waymark, text };
}

describe("waymark journey import", () => {
  test("converts a collection to a journey that lints and compiles, and lists what needs a review", async () => {
    const { waymark, text } = await project();
    const result = await waymark("import", "postman", "shop.postman_collection.json");
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout.split("\n")).toEqual([
      "Made shop.journey.yaml with 3 steps",
      "Look at:",
      "  The collection has a script that runs with every request; it was left out.",
      "  secret is a secret: it is now the input secret, read from env:SECRET.",
      "  Read stock has a test that wasn't recognized: write it as a criterion.",
      "  Upload a count sends the file file; write its content by hand.",
      "",
    ]);
    const journey = await text("shop.journey.yaml");
    expect(journey).not.toContain(SECRET);
    expect(journey).toContain("accessToken: $response.body#/token");
    expect(journey).toContain("value: Bearer {$steps.login.outputs.accessToken}");
    expect(journey).toContain('url: "{$inputs.baseUrl}/{$inputs.warehouse}/stock"');
    expect(await waymark("lint", "shop.journey.yaml")).toMatchObject({
      exitCode: 0,
      stdout: "1 journey: no problems\n",
    });
    expect(await waymark("build", "shop.journey.yaml", "--out", "a.json")).toMatchObject({ exitCode: 0 });
    expect(await text("a.json")).not.toContain(SECRET);
  });

  test("converts a recording to a journey, with linked ids and cookies as secrets", async () => {
    const { waymark, text } = await project();
    const { exitCode, stdout } = await waymark(
      "import",
      "har",
      "checkout.har",
      "--out",
      "made.journey.yaml",
      "--json",
    );
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      {
        file: "made.journey.yaml",
        steps: 2,
        notes: [
          "cookie is a secret: it is now the input cookie, read from env:COOKIE.",
          "Left out: 1 pages, scripts, pictures, preflights or requests other than HTTP.",
        ],
      },
    ]);
    const journey = await text("made.journey.yaml");
    expect(journey).not.toContain(SECRET);
    expect(journey).toContain("/v2/carts/{$steps.post-carts.outputs.cartid}");
    expect(await waymark("lint", "made.journey.yaml")).toMatchObject({ exitCode: 0 });
  });

  test("replaces no file, writes to standard output, and with --strict fails if something was left out", async () => {
    const { folder, waymark } = await project();
    await folder.write("shop.journey.yaml", "mine");
    expect(await waymark("import", "postman", "shop.postman_collection.json")).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "Can't write shop.journey.yaml: it exists already; --force replaces it.\n",
    });
    const shown = await waymark("import", "har", "checkout.har", "--out", "-", "--strict");
    expect(shown).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^arazzo: 1\.1\.0\n/) });
    expect(shown.stderr).toContain("Look at:\n");
  });

  test.each([
    [["import", "curl", "x"], /^waymark journey import takes postman or har, and then a file, not curl\.\n$/],
    [["import", "har"], /^waymark journey import has too few or too many arguments/],
    [["import", "har", "none.har"], /^Can't read none\.har: there is no such file\.\n$/],
    [
      ["import", "har", "shop.postman_collection.json"],
      /^shop\.postman_collection\.json: This is not a HAR file/,
    ],
    [["import", "postman", "checkout.har"], /^checkout\.har: This is not a Postman collection/],
  ])("refuses %j with a reason", async (args, message) => {
    const { folder, waymark } = await project();
    expect(await waymark(...args)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
    expect(await readdir(folder.path)).toEqual(["checkout.har", "shop.postman_collection.json"]);
  });
});

const API = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
servers: [{ url: "https://things.example" }]
paths:
  /things: { post: { operationId: makeThing, responses: {} } }
  /things/{id}: { get: { operationId: getThing, responses: {} } }
`;
const PLAIN = `arazzo: 1.1.0
info: { title: Things, version: 1.0.0 }
sourceDescriptions: [{ name: things, type: openapi, url: ../api/things.yaml }]
workflows:
  - workflowId: main
    inputs: { type: object, properties: { name: { type: string, default: a } } }
    steps:
      - stepId: make
        operationId: makeThing
        requestBody: { payload: { name: $inputs.name } }
        successCriteria: [{ condition: $statusCode == 201 }]
        onFailure: [{ name: busy, type: retry, retryLimit: 2, criteria: [{ condition: $statusCode == 503 }] }]
        outputs: { id: $response.body#/id }
      - stepId: get
        operationId: getThing
        parameters: [{ name: id, in: path, value: $steps.make.outputs.id }]
        successCriteria: [{ context: $response.body, type: jsonpath, condition: $.name }]
    outputs: { id: $steps.make.outputs.id }
`;

async function exporting(journey: string) {
  const folder = await temporaryFolder();
  await folder.write("api/things.yaml", API);
  await folder.write("journeys/things.journey.yaml", journey);
  const waymark = (...args: string[]) => runCaptured(["journey", ...args], { cwd: folder.path });
  const text = (name: string) => readFile(path.join(folder.path, name), "utf8");
  /** A document's meaning, without positions. */
  const program = async (file: string): Promise<Record<string, unknown>> => {
    const { stdout, stderr, exitCode } = await waymark("build", file, "--out", "-");
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^sha256:/)]);
    return JSON.parse(stdout).program;
  };
  return { folder, waymark, text, program };
}

describe("waymark journey export arazzo", () => {
  test.each(["1.1.0", "1.0.1"])(
    "a journey without extensions means the same afterwards, as Arazzo %s",
    async (version) => {
      const { waymark, text, program } = await exporting(PLAIN);
      const out = "made/deeper/plain.arazzo.yaml";
      const options = ["--out", out, "--arazzo", version];
      const made = await waymark("export", "arazzo", "journeys/things.journey.yaml", ...options);
      expect(made).toEqual({ exitCode: 0, stdout: `Made ${out}\n`, stderr: "" });
      const exported = await text(out);
      expect(exported).toContain(`arazzo: ${version}`);
      expect(exported).toContain("url: ../../api/things.yaml");
      const [before, after] = [await program("journeys/things.journey.yaml"), await program(out)];
      expect({ ...after, sources: before["sources"] }).toEqual(before);
    },
  );

  test("what Arazzo can't express is left out and listed, and no extension remains", async () => {
    const journey = `${PLAIN.replace("arazzo: 1.1.0\n", "arazzo: 1.1.0\n$self: journeys/things\n").replace("stepId: get\n", "stepId: get\n        timeout: 500\n        x-journey: { poll: { until: $response.body#/done == true, everyMs: 100, maxMs: 1000 } }\n")}    x-journey:
      teardown: [{ step: get }]
      acceptanceCriteria: [{ id: A, text: t, severity: must, provenBy: [] }]
  - workflowId: notify
    failureActions: [{ name: stop, type: end, criteria: [{ x-id: e, condition: $statusCode == 500 }] }]
    steps:
      - stepId: hook
        x-operation: { url: "https://hooks.example/a/{$vars.run}/{kind}?from=us", method: POST }
        parameters: [{ name: kind, in: path, value: done }]
    x-journey: { vars: { run: 7 } }
`;
    const { waymark, text } = await exporting(journey);
    const made = await waymark(
      "export",
      "arazzo",
      "journeys/things.journey.yaml",
      "--arazzo",
      "1.0.1",
      "--strict",
    );
    expect(made).toMatchObject({ exitCode: 1, stderr: "" });
    expect(made.stdout.split("\n")).toEqual([
      "Made journeys/things.arazzo.yaml",
      "Made journeys/external.openapi.yaml",
      "Left out or changed:",
      "  main: acceptance criteria were left out.",
      "  main: teardown was left out; its steps run in their place only, not after a failure.",
      "  get: polling became retries; its criteria now take part in it.",
      "  $self was left out: journeys/things is a name here, and other tools would look for the sources beside it.",
      "  get: its timeout was left out.",
      "",
    ]);
    const exported = await text("journeys/things.arazzo.yaml");
    expect(exported).not.toMatch(/x-journey|x-id|x-operation|\$vars|\$self|timeout/);
    expect(exported).toContain("operationId: $sourceDescriptions.things.makeThing");
    expect(exported).toContain("operationId: $sourceDescriptions.external.external-hook");
    expect(await waymark("lint", "journeys/things.arazzo.yaml")).toMatchObject({
      exitCode: 0,
      stdout: "1 journey: no problems\n",
    });
    expect(await waymark("lint", "journeys/things.arazzo.yaml", "--workflow", "notify")).toMatchObject({
      exitCode: 0,
    });
  });

  test.each([
    [["export", "postman", "journeys/things.journey.yaml"], /^waymark journey export takes arazzo/],
    [
      ["export", "arazzo", "journeys/things.journey.yaml", "--arazzo", "2.0"],
      /^--arazzo takes 1\.0\.1 or 1\.1\.0/,
    ],
    [["export", "arazzo", "api/things.yaml"], /^api\/things\.yaml can't be exported: /],
  ])("refuses %j with a reason", async (args, message) => {
    const { waymark } = await exporting(PLAIN);
    expect(await waymark(...args)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });
});

test("the worked example exports with its overlay and compiles", async () => {
  const folder = await temporaryFolder();
  for (const name of await readdir(WORKED_EXAMPLE.folder))
    await folder.write(name, await readFile(path.join(WORKED_EXAMPLE.folder, name)));
  const waymark = (...args: string[]) => runCaptured(["journey", ...args], { cwd: folder.path });
  expect(
    await waymark("export", "arazzo", "notes.journey.yaml", "--overlay", "notes.gone.overlay.yaml"),
  ).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await waymark("lint", "notes.gone.arazzo.yaml")).toMatchObject({ exitCode: 0 });
});
