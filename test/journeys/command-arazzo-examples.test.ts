import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { isObject } from "@waymark/journeys/document/json.ts";
import { startOpenApiServer } from "./support/openapi-server.ts";
import type { Answers } from "./support/openapi-server.ts";
import { temporaryFolder, waymark } from "./support/waymark.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "..", "shared", "arazzo");

interface Example {
  name: string;
  openapi: string;
  source: string;
  workflow: string;
  inputs: Record<string, unknown>;
  /** Where the description's own answer does not lead on to the workflow's end. */
  answers: Answers;
  steps: string[];
}

/** Those of the Arazzo project's examples whose descriptions come with them. */
const EXAMPLES: Example[] = [
  {
    name: "1.0.0-pet-coupons.arazzo.yaml",
    openapi: "1.0.0-pet-coupons.openapi.yaml",
    source: "pet-coupons",
    workflow: "apply-coupon",
    inputs: { my_pet_tags: ["puppy", "dalmatian"] },
    answers: {},
    steps: ["find-pet", "find-coupons", "place-order"],
  },
  {
    name: "1.0.0-pet-coupons.arazzo.yaml",
    openapi: "1.0.0-pet-coupons.openapi.yaml",
    source: "pet-coupons",
    workflow: "buy-available-pet",
    inputs: {},
    answers: {},
    steps: ["find-pet", "place-order"],
  },
  {
    name: "1.0.0-oauth.arazzo.yaml",
    openapi: "1.0.0-oauth.openapi.yaml",
    source: "apim-auth",
    workflow: "refresh-token-flow",
    inputs: { my_client_id: "c", my_client_secret: "s", my_redirect_uri: "https://me.example" },
    // Its description says nothing of what comes back.
    answers: {
      "GET /authorize": { body: { code: "code-1", access_token: "t" } },
      "POST /oauth/token": {
        body: { access_token: "t", refresh_token: "r", tokens: [{ access_token: "t" }] },
      },
    },
    steps: [
      "authorization-code-flow/browser-authorize",
      "authorization-code-flow/get-access-token",
      "do-the-auth-flow",
      "do-the-refresh",
    ],
  },
  {
    name: "1.0.0-FAPI-PAR.arazzo.yaml",
    openapi: "1.0.0-FAPI-PAR.openapi.yaml",
    source: "auth-api",
    workflow: "OIDC-PAR-AuthzCode",
    inputs: {
      client_id: "c",
      PARrequestBody: { a: "b" },
      TokenRequestBody: { grant_type: "x", code: "c", redirect_uri: "r", code_verifier: "v" },
    },
    answers: {},
    steps: ["PARStep", "AuthzCodeStep", "TokenStep"],
  },
  {
    name: "1.0.0-bnpl-arazzo.yaml",
    openapi: "1.0.0-bnpl-openapi.yaml",
    source: "BnplApi",
    workflow: "ApplyForLoanAtCheckout",
    inputs: {
      customer: { uri: "https://bnpl.example/customers/1" },
      products: [{ productCode: "p-1", purchaseAmount: { currency: "EUR", amount: 12.5 } }],
    },
    answers: {},
    // It ends there: further on it refers to outputs that its steps don't have.
    steps: ["checkLoanCanBeProvided"],
  },
];

describe.runIf(existsSync(FOLDER))("the command on the Arazzo project's examples", () => {
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
    const ended = await waymark(["journey", "run", join(FOLDER, example.name), ...files, ...where], { cwd });
    expect(ended).toMatchObject({ exitCode: 0 });
    const passed = [...ended.stdout.matchAll(/^ {2}✓ (\S+) /gm)].map(([, step]) => step);
    expect(passed).toEqual(expect.arrayContaining(example.steps));
    expect(ended.stdout).not.toContain("✗");
  });
});
