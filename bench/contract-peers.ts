// Gives the same changes of descriptions to Waymark and to three published tools, and prints what each says, as the table of
// docs/breaking-changes.md: `node bench/contract-peers.ts`. It measures no time, and `npm test` does not run it.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { installPeer } from "./support/peers.ts";

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), "contract-peers-"));
const OPTIC_MS = 60_000;

/** A change of a description, and whether it breaks clients. */
type Change = [name: string, breaks: boolean, base: object, head: object];

const TEXT = { type: "string" };
const ok = (schema?: object) => ({
  "200": { description: "ok", ...(schema && { content: { "application/json": { schema } } }) },
});
const api = (operations: object, more: object = {}) => ({
  openapi: "3.0.3",
  info: { title: "T", version: "1" },
  paths: { "/things": operations },
  ...more,
});
const answers = (schema: object) => api({ get: { responses: ok(schema) } });
const accepts = (schema: object) =>
  api({ post: { requestBody: { content: { "application/json": { schema } } }, responses: ok() } });
const query = (schema: object, more: object = {}) =>
  api({ get: { parameters: [{ name: "q", in: "query", schema, ...more }], responses: ok() } });
const object = (properties: object, required?: string[]) => ({
  type: "object",
  properties,
  ...(required && { required }),
});
const secured = (...scopes: string[]) =>
  api(
    { get: { security: [{ login: scopes }], responses: ok() } },
    {
      components: {
        securitySchemes: {
          login: {
            type: "oauth2",
            flows: { clientCredentials: { tokenUrl: "https://a.example/token", scopes: { r: "r", w: "w" } } },
          },
        },
      },
    },
  );
const notifies = (schema: object) =>
  api({
    post: {
      responses: ok(),
      callbacks: {
        done: {
          "{$request.query.url}": {
            post: { requestBody: { content: { "application/json": { schema } } }, responses: ok() },
          },
        },
      },
    },
  });
const at = (address: string, operation: object, more: object = {}) => ({
  ...api({}),
  paths: { [address]: operation },
  ...more,
});
const byName = (name: string) =>
  at(`/things/{${name}}`, {
    get: { parameters: [{ name, in: "path", required: true, schema: TEXT }], responses: ok() },
  });

const CHANGES: readonly Change[] = [
  [
    "an operation is removed",
    true,
    api({ get: { responses: ok() }, put: { responses: ok() } }),
    api({ get: { responses: ok() } }),
  ],
  [
    "… after its announced end",
    false,
    api({ get: { responses: ok() }, put: { deprecated: true, "x-sunset": "2020-01-01", responses: ok() } }),
    api({ get: { responses: ok() } }),
  ],
  ["a path parameter gets another name", false, byName("id"), byName("thingId")],
  [
    "the base path moves from servers into paths",
    false,
    at("/things", { get: { responses: ok() } }, { servers: [{ url: "https://a.example/v1" }] }),
    at("/v1/things", { get: { responses: ok() } }, { servers: [{ url: "https://a.example" }] }),
  ],
  [
    "a required query parameter is new",
    true,
    api({ get: { responses: ok() } }),
    query(TEXT, { required: true }),
  ],
  [
    "a header parameter in other case",
    false,
    query(TEXT, { in: "header", name: "X-Trace" }),
    query(TEXT, { in: "header", name: "x-trace" }),
  ],
  [
    "a list parameter is no longer exploded",
    true,
    query({ type: "array", items: TEXT }),
    query({ type: "array", items: TEXT }, { explode: false }),
  ],
  [
    "request: a required property is new",
    true,
    accepts(object({ a: TEXT })),
    accepts(object({ a: TEXT, b: TEXT }, ["b"])),
  ],
  [
    "request: a shorter maxLength",
    true,
    accepts(object({ a: { ...TEXT, maxLength: 9 } })),
    accepts(object({ a: { ...TEXT, maxLength: 8 } })),
  ],
  [
    "request: integer becomes number",
    false,
    accepts(object({ a: { type: "integer" } })),
    accepts(object({ a: { type: "number" } })),
  ],
  [
    "answer: integer becomes number",
    true,
    answers(object({ a: { type: "integer" } })),
    answers(object({ a: { type: "number" } })),
  ],
  [
    "request: an enum value is gone",
    true,
    accepts({ type: "string", enum: ["a", "b"] }),
    accepts({ type: "string", enum: ["a"] }),
  ],
  [
    "answer: an enum value is gone",
    false,
    answers({ type: "string", enum: ["a", "b"] }),
    answers({ type: "string", enum: ["a"] }),
  ],
  [
    "answer: an enum value is new",
    true,
    answers({ type: "string", enum: ["a"] }),
    answers({ type: "string", enum: ["a", "b"] }),
  ],
  [
    "answer: a required property becomes optional",
    true,
    answers(object({ a: TEXT }, ["a"])),
    answers(object({ a: TEXT })),
  ],
  [
    "answer: a property may be null",
    true,
    answers(object({ a: TEXT })),
    answers(object({ a: { ...TEXT, nullable: true } })),
  ],
  [
    "answer: a larger maximum",
    true,
    answers(object({ a: { type: "integer", maximum: 9 } })),
    answers(object({ a: { type: "integer", maximum: 10 } })),
  ],
  [
    "a schema inside allOf of one",
    false,
    answers(object({ a: TEXT })),
    answers({ allOf: [object({ a: TEXT })] }),
  ],
  [
    "an exclusive minimum written as minimum",
    false,
    accepts({ type: "integer", minimum: 0, exclusiveMinimum: true }),
    accepts({ type: "integer", minimum: 1 }),
  ],
  [
    "request: a pattern that allows more",
    false,
    accepts({ ...TEXT, pattern: "^[a-f]+$" }),
    accepts({ ...TEXT, pattern: "^[a-z]+$" }),
  ],
  [
    "request: an alternative of oneOf is gone",
    true,
    accepts({ oneOf: [TEXT, { type: "integer" }] }),
    accepts({ oneOf: [TEXT] }),
  ],
  [
    "request: the object is closed",
    true,
    accepts(object({ a: TEXT })),
    accepts({ ...object({ a: TEXT }), additionalProperties: false }),
  ],
  ["a scope more is needed", true, secured("r"), secured("r", "w")],
  [
    "callback: its payload loses a required property",
    true,
    notifies(object({ a: TEXT }, ["a"])),
    notifies(object({})),
  ],
];

type Judge = (base: object, head: object) => Promise<boolean>;

async function waymark(base: object, head: object): Promise<boolean> {
  const load = (value: object) => loadDescription({ text: JSON.stringify(value), name: "openapi.json" });
  const { verdicts } = compareContracts(await load(base), await load(head), { today: "2026-11-28" });
  return verdicts.some(({ level }) => level === "breaking");
}

async function apiSmartDiff(): Promise<Judge> {
  const load = createRequire(path.join(await installPeer("api-smart-diff"), "package.json"));
  const { apiCompare } = load("api-smart-diff") as {
    apiCompare: (base: object, head: object) => { diffs: { type: string }[] };
  };
  return async (base, head) => apiCompare(base, head).diffs.some(({ type }) => type === "breaking");
}

async function openapiDiff(): Promise<Judge> {
  const load = createRequire(path.join(await installPeer("openapi-diff"), "package.json"));
  const { diffSpecs } = load("openapi-diff") as {
    diffSpecs: (specs: object) => Promise<{ breakingDifferencesFound: boolean }>;
  };
  const spec = (value: object, location: string) => ({
    content: JSON.stringify(value),
    location,
    format: "openapi3",
  });
  return async (base, head) => {
    const specs = { sourceSpec: spec(base, "base.json"), destinationSpec: spec(head, "head.json") };
    return (await diffSpecs(specs)).breakingDifferencesFound;
  };
}

async function optic(): Promise<Judge> {
  const command = path.join(await installPeer("@useoptic/optic"), "../../.bin/optic");
  return async (base, head) => {
    const [one, other] = [path.join(folder, "base.json"), path.join(folder, "head.json")];
    writeFileSync(one, JSON.stringify(base));
    writeFileSync(other, JSON.stringify(head));
    const options = { cwd: folder, timeout: OPTIC_MS, env: { ...process.env, OPTIC_TELEMETRY_LEVEL: "off" } };
    const ended = await run(command, ["diff", one, other, "--check", "--validation", "loose"], options).catch(
      (error: unknown) => error as { code?: number; stdout: string; stderr: string },
    );
    if (!ended.stdout.includes("Operations:")) throw new Error(`optic: ${ended.stdout}${ended.stderr}`);
    return "code" in ended && ended.code === 1;
  };
}

const judges: readonly [string, Judge][] = [
  ["Waymark", waymark],
  ["Optic", await optic()],
  ["openapi-diff", await openapiDiff()],
  ["api-smart-diff", await apiSmartDiff()],
];
const right = new Map(judges.map(([name]) => [name, 0]));
console.log(`| change | breaks | ${judges.map(([name]) => name).join(" | ")} |`);
console.log(`| --- | --- | ${judges.map(() => "---").join(" | ")} |`);
for (const [name, breaks, base, head] of CHANGES) {
  const cells: string[] = [];
  for (const [judge, breaksFor] of judges) {
    const said = await breaksFor(base, head).catch((error: unknown) => String(error).slice(0, 200));
    if (said === breaks) right.set(judge, (right.get(judge) ?? 0) + 1);
    cells.push(
      typeof said === "string"
        ? `no answer: ${said}`
        : said === breaks
          ? "right"
          : breaks
            ? "missed"
            : "false alarm",
    );
  }
  console.log(`| ${name} | ${breaks ? "yes" : "no"} | ${cells.join(" | ")} |`);
}
console.log(`| right of ${CHANGES.length} | | ${judges.map(([name]) => right.get(name)).join(" | ")} |`);
rmSync(folder, { recursive: true });
