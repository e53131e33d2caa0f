import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { isRecord, ownValue } from "@waymark/journeys/expressions/pointer.ts";
import { artifactOf } from "./support/build.ts";
import { fakeTransport, virtualClock } from "./support/fake.ts";
import type { FakeAnswer, FakeRequest } from "./support/fake.ts";
import { run } from "./support/run.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "..", "shared", "arazzo");

/** Descriptions that the examples take from elsewhere, as far as they use them. */
const ELSEWHERE: Record<string, unknown> = {
  animals: {
    openapi: "3.1.0",
    servers: [{ url: "https://zoo.example" }],
    paths: {
      "/animals": { post: { operationId: "postAnimal", responses: {} } },
      "/animals/random": { get: { operationId: "getRandomAnimal", responses: {} } },
    },
  },
  petStoreDescription: {
    openapi: "3.0.0",
    servers: [{ url: "https://pets.example" }],
    paths: {
      "/user/login": { get: { operationId: "loginUser", responses: {} } },
      "/pet/findByStatus": { get: { operationId: "findPetsByStatus", responses: {} } },
    },
  },
};

interface Example {
  file: string;
  workflow: string;
  inputs: Record<string, unknown>;
  /** What the target says, where the description has no example that leads on. */
  answers: Record<string, FakeAnswer>;
  requests: string[];
}

const EXAMPLES: Example[] = [
  {
    file: "1.0.0-LoginAndRetrievePets.arazzo.yaml",
    workflow: "loginUserRetrievePet",
    inputs: { username: "u", password: "p" },
    answers: { "GET /user/login": { status: 200, body: "session-1", type: "text/plain" } },
    requests: ["GET /user/login?username=u&password=p", "GET /pet/findByStatus?status=available"],
  },
  {
    file: "1.0.0-ExtendedParametersExample.arazzo.yaml",
    workflow: "animal-workflow",
    inputs: {},
    answers: {},
    requests: ["POST /animals", "GET /animals/random"],
  },
  {
    file: "1.0.0-oauth.arazzo.yaml",
    workflow: "refresh-token-flow",
    inputs: { my_client_id: "c", my_client_secret: "s", my_redirect_uri: "https://me.example" },
    answers: {
      "GET /authorize": { status: 200, body: { code: "code-1", access_token: "x" } },
      "POST /oauth/token": {
        status: 200,
        body: { access_token: "t", refresh_token: "r", tokens: [{ access_token: "t" }] },
      },
    },
    requests: [
      "GET /authorize?client_id=c&redirect_uri=https%3A%2F%2Fme.example&response_type=code&scope=read&state=12345",
      "POST /oauth/token",
      "POST /oauth/token",
    ],
  },
  {
    file: "1.0.0-pet-coupons.arazzo.yaml",
    workflow: "apply-coupon",
    inputs: { my_pet_tags: ["puppy", "dalmatian"] },
    answers: {
      "GET /pet/findByTags": { status: 200, body: [{ id: 7 }] },
      "GET /pet/7/coupons": { status: 200, body: { couponCode: "C" } },
      "POST /store/order": { status: 200, body: { id: 99 } },
    },
    requests: [
      "GET /pet/findByTags?pet_tags=puppy&pet_tags=dalmatian",
      "GET /pet/7/coupons",
      "POST /store/order",
    ],
  },
  {
    file: "1.0.0-FAPI-PAR.arazzo.yaml",
    workflow: "OIDC-PAR-AuthzCode",
    inputs: {
      client_id: "c",
      PARrequestBody: { a: "b" },
      TokenRequestBody: { grant_type: "x", code: "c", redirect_uri: "r", code_verifier: "v" },
    },
    answers: {
      "POST /as/par.oauth2": { status: 200, body: { request_uri: "urn:1" } },
      "GET /as/authorize.oauth2": { status: 302, body: { code: "k" } },
    },
    requests: [
      "POST /as/par.oauth2?client_id=c&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
      "GET /as/authorize.oauth2?request_uri=urn%3A1&client_id=c",
      "POST /as/token.oauth2?client_id=c&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
    ],
  },
  {
    file: "1.0.0-bnpl-arazzo.yaml",
    workflow: "ApplyForLoanAtCheckout",
    inputs: {
      customer: { uri: "https://bnpl.example/customers/1" },
      products: [{ productCode: "p-1", purchaseAmount: { currency: "EUR", amount: 12.5 } }],
    },
    // Further on it refers to outputs that its steps don't have, so this is how far it can run.
    answers: { "POST /products": { status: 200, body: { existingCustomerNotEligible: false } } },
    requests: ["POST /products"],
  },
];

describe.runIf(existsSync(FOLDER))("the Arazzo project's examples", () => {
  test("are all known here", () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith("arazzo.yaml"));
    expect(EXAMPLES.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
  });

  test.each(EXAMPLES)("$file compiles, every workflow of it", async ({ file }) => {
    const document: unknown = parse(readFileSync(join(FOLDER, file), "utf8"));
    const workflows = ownValue(document, "workflows");
    for (const workflow of Array.isArray(workflows) ? workflows : []) {
      const id = String(ownValue(workflow, "workflowId"));
      const artifact = await artifactOf({
        file: join(FOLDER, file),
        workflow: id,
        sources: sourcesOf(document, file),
      });
      expect(artifact.id).toMatch(/^sha256:/);
    }
  });

  test.each(EXAMPLES)("$file runs against a mock", async (example) => {
    const document: unknown = parse(readFileSync(join(FOLDER, example.file), "utf8"));
    const artifact = await artifactOf({
      file: join(FOLDER, example.file),
      workflow: example.workflow,
      sources: sourcesOf(document, example.file),
    });
    const servers = Object.fromEntries(
      Object.keys(sourcesOf(document, example.file)).map((name) => [name, "https://mock.example"]),
    );
    const { transport, requests } = fakeTransport((request) => answerTo(example, request));
    const result = await run(artifact, {
      inputs: example.inputs,
      servers,
      deps: { transport, clock: virtualClock() },
    });
    expect(
      requests.map(({ method, url }) => `${method} ${url.slice("https://mock.example".length)}`),
    ).toEqual(example.requests);
    expect(result.steps.filter(({ status }) => !["passed", "skipped"].includes(status))).toEqual([]);
    expect(result.status).toBe("passed");
  });
});

function answerTo(example: Example, request: FakeRequest): FakeAnswer {
  return example.answers[`${request.method} ${new URL(request.url).pathname}`] ?? { status: 200, body: {} };
}

function sourcesOf(document: unknown, file: string): Record<string, LoadedSource> {
  const sources: Record<string, LoadedSource> = {};
  const listed = ownValue(document, "sourceDescriptions");
  for (const source of Array.isArray(listed) ? listed : []) {
    if (!isRecord(source)) continue;
    const name = String(source["name"]);
    const url = String(source["url"]);
    const near = join(FOLDER, `${file.slice(0, 6)}${url.split("/").at(-1) ?? ""}`);
    const found: unknown = existsSync(near) ? parse(readFileSync(near, "utf8")) : ELSEWHERE[name];
    sources[name] = { type: "openapi", url, document: found };
  }
  return sources;
}
