import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { isObject } from "@waymark/openapi/json.ts";
import { startOpenApiServer } from "./support/openapi-server.ts";
import type { Answers } from "./support/openapi-server.ts";
import { runCaptured } from "../../cli/src/test-support/run-captured.ts";
import { temporaryFolder } from "./support/waymark.ts";

const FOLDER = join(import.meta.dirname, "documents");

interface Example {
  name: string;
  openapi: string;
  source: string;
  workflow: string;
  inputs: Record<string, unknown>;
  /** Responses for descriptions whose own examples don't lead to the workflow's end. */
  answers: Answers;
  steps: string[];
}

/** The documents with local descriptions. */
const EXAMPLES: Example[] = [
  {
    name: "library.arazzo.yaml",
    openapi: "library.openapi.yaml",
    source: "library",
    workflow: "borrow-by-topic",
    inputs: { topics: ["bees", "honey"] },
    answers: {},
    steps: ["find", "reserve", "borrow"],
  },
  {
    name: "library.arazzo.yaml",
    openapi: "library.openapi.yaml",
    source: "library",
    workflow: "borrow-newest",
    inputs: {},
    answers: {},
    steps: ["find", "borrow"],
  },
  {
    name: "tokens.arazzo.yaml",
    openapi: "tokens.openapi.yaml",
    source: "login",
    workflow: "renew",
    inputs: { app: "a", appSecret: "s", returnTo: "https://me.example" },
    // Its description has no response.
    answers: {
      "GET /authorize": { body: { code: "code-1" } },
      "POST /token": { body: { token: "t", renewal: "r", tokens: [{ token: "t" }] } },
    },
    steps: ["with-code/ask", "with-code/exchange", "first", "second"],
  },
  {
    name: "signed-order.arazzo.yaml",
    openapi: "signed-order.openapi.yaml",
    source: "desk",
    workflow: "order",
    inputs: { buyer: "b", draft: { lines: ["one"] }, note: "n" },
    answers: {},
    steps: ["push", "confirm", "place"],
  },
  {
    name: "instalments.arazzo.yaml",
    openapi: "instalments.openapi.yaml",
    source: "credit",
    workflow: "checkout",
    inputs: {
      customer: { uri: "https://credit.example/customers/1" },
      products: [{ sku: "p-1", amount: 12.5 }],
    },
    answers: {},
    steps: ["ask", "accept", "plan"],
  },
];

describe("the command on Arazzo documents without extensions", () => {
  test.each(EXAMPLES)("$name runs $workflow against a server made from $openapi", async (example) => {
    const root: unknown = parse(readFileSync(join(FOLDER, example.openapi), "utf8"));
    if (!isObject(root)) throw new Error(`${example.openapi} is no object`);
    const server = await startOpenApiServer(root, example.answers);
    onTestFinished(() => server[Symbol.asyncDispose]());
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "inputs.json"), JSON.stringify(example.inputs));
    const files = [
      "--source",
      `${example.source}=${join(FOLDER, example.openapi)}`,
      "--inputs",
      "inputs.json",
    ];
    const where = ["--server", `${example.source}=${server.url}`, "--workflow", example.workflow];
    const ended = await runCaptured(["journey", "run", join(FOLDER, example.name), ...files, ...where], {
      cwd,
    });
    expect(ended).toMatchObject({ exitCode: 0 });
    const passed = [...ended.stdout.matchAll(/^ {2}✓ (\S+) /gm)].map(([, step]) => step);
    expect(passed).toEqual(expect.arrayContaining(example.steps));
    expect(ended.stdout).not.toContain("✗");
  });
});
