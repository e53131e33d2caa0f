import { validate } from "@readme/openapi-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "@waymark/shared/all-operations.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

type Document = Parameters<typeof validate>[0] & {
  openapi: string;
  paths: Record<string, Record<string, { operationId?: string; responses?: Record<string, unknown> }>>;
  components: { schemas: Record<string, Record<string, unknown>> };
};

let stack: Stack;
let document: Document;
beforeAll(async () => {
  stack = await startStack();
  document = (await stack.http.get<Document>("/openapi.json", { key: null })).body;
});
afterAll(() => stack[Symbol.asyncDispose]());

describe("/openapi.json", () => {
  it("is a valid OpenAPI 3.1 document", async () => {
    expect(document.openapi).toBe("3.1.0");
    expect(await validate(structuredClone(document))).toMatchObject({ valid: true, warnings: [] });
  });

  it("describes every operation that is declared, and no other", () => {
    const described = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId = "" }) => operationId),
    );
    expect(described.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
    for (const [id, operation] of Object.entries(OPERATIONS)) expect(operation.id).toBe(id);
  });

  it("has the specification's operation ids and statuses", () => {
    const ingest = document.paths["/api/scans/ingest"]?.["post"];
    expect(ingest?.operationId).toBe("ingestScan");
    expect(Object.keys(ingest?.responses ?? {})).toEqual(
      expect.arrayContaining(["201", "400", "401", "403", "413"]),
    );
  });

  it.each([
    ["get", "/api/api-keys", "listApiKeys", ["200", "400", "401", "403"]],
    ["post", "/api/api-keys", "createApiKey", ["201", "400", "401", "403"]],
    ["get", "/api/api-keys/{apiKeyId}", "getApiKey", ["200", "400", "401", "403", "404"]],
    ["post", "/api/api-keys/{apiKeyId}/revoke", "revokeApiKey", ["200", "400", "401", "403", "404"]],
  ])("has %s %s as the specification's %s", (method, path, operationId, statuses) => {
    const operation = document.paths[path]?.[method];
    expect(operation?.operationId).toBe(operationId);
    expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
  });

  it("publishes the limits of a key's creation, and that a revocation needs no body", () => {
    expect(document.components.schemas["CreateApiKeyRequest"]).toMatchObject({
      required: ["name", "ownerPrincipalType", "scopes"],
      properties: { name: { maxLength: 120 }, scopes: { minItems: 1 } },
    });
    expect(document.components.schemas["ApiKeyScope"]).toMatchObject({
      required: ["permission"],
      properties: { resourceType: { anyOf: [{ maxLength: 80 }, { type: "null" }] } },
    });
    expect(document.paths["/api/api-keys/{apiKeyId}/revoke"]?.["post"]).toMatchObject({
      requestBody: { required: false },
    });
    expect(document.paths["/api/api-keys"]?.["post"]).toMatchObject({ requestBody: { required: true } });
  });

  it("has the specification's model names, each once", () => {
    const names = Object.keys(document.components.schemas);
    for (const name of [
      "Uuid",
      "IsoDateTime",
      "ScanIngestionPayload",
      "NormalizedEndpoint",
      "NormalizedFinding",
      "ScanIngestionResult",
      "ErrorResponse",
      "ApiKey",
      "ApiKeyScope",
      "CreateApiKeyRequest",
      "CreatedApiKeyResult",
      "PrincipalSummary",
    ]) {
      expect(names).toContain(name);
      expect(names).not.toContain(`${name}Input`);
    }
  });

  it("publishes the limits that are enforced", () => {
    expect(document.components.schemas["ScanIngestionPayload"]).toMatchObject({
      additionalProperties: false,
      properties: {
        service: { properties: { name: { minLength: 1, maxLength: 120 } } },
        endpoints: { maxItems: 2000 },
        findings: { maxItems: 500 },
      },
    });
    expect(document.components.schemas["NormalizedEndpoint"]).toMatchObject({
      properties: { path: { maxLength: 1000 }, tags: { maxItems: 20, items: { type: "string" } } },
    });
  });

  it("is shown at /docs", async () => {
    const docs = await stack.http.get("/docs/", { key: null });
    expect(docs.status).toBe(200);
    expect(docs.text).toContain("swagger-ui");
  });
});

describe("the page", () => {
  it.each(["/", "/scan-runs/11111111-1111-1111-1111-111111111111"])(
    "answers %s with no inline script",
    async (path) => {
      const page = await stack.http.get(path, { key: null });
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
      expect(page.text).not.toMatch(/<script(?![^>]*src=)/);
    },
  );
});
