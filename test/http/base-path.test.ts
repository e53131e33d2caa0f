import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registeredRoutes } from "@waymark/test-support/registered-routes.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { outcomeOf, signIn } from "@waymark/test-support/sessions.ts";
import { type Stack, startApi, startStack, type TestApi } from "@waymark/test-support/stack.ts";
import { OWN_PATHS } from "../../services/api/src/lib/base-path.ts";

const PUBLIC = "https://tools.example.com/waymark";
const BROWSER = { accept: "text/html" };

let stack: Stack;
let api: TestApi;
let http: HttpClient;
beforeAll(async () => {
  stack = await startStack();
  api = await startApi({ databaseUrl: stack.databaseUrl, env: { PUBLIC_BASE_URL: `${PUBLIC}/` } });
  http = createHttpClient(api.baseUrl, { key: stack.apiKey });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const errorOf = async (client: HttpClient, path: string) =>
  (await client.get<{ error: { message: string } }>(path)).body.error.message;

describe.each([
  ["removes", ""],
  ["passes on", "/waymark"],
])("below a path that the proxy %s", (_what, sent) => {
  it("links lead to the public address, and Location has its path once", async () => {
    const { body, headers } = await http.post<{ resultUrl: string; scanRunId: string }>(
      `${sent}/api/scans/ingest`,
      scanPayload({ serviceName: "below", endpoints: 1, findings: 0 }),
    );
    expect(body.resultUrl).toBe(`${PUBLIC}/scan-runs/${body.scanRunId}`);
    expect(headers.get("location")).toBe(`/waymark/api/scan-runs/${body.scanRunId}`);
    const key = { name: "k", ownerPrincipalType: "service_account", scopes: ["scans:create"] };
    const created = await http.post<{ id: string }>(`${sent}/api/api-keys`, key);
    expect(created.headers.get("location")).toBe(`/waymark/api/api-keys/${created.body.id}`);
  });

  it("the console's page names its files and itself below the path", async () => {
    for (const path of ["/", "/services/1?tab=runs", "/nowhere"]) {
      const { text } = await http.get(sent + path, { key: null, headers: BROWSER });
      const addresses = [...text.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, address = ""]) => address);
      expect(addresses.length).toBeGreaterThan(4);
      expect(addresses.filter((address) => !address.startsWith("/waymark/"))).toEqual([]);
      expect(text).toContain('<meta name="base-path" content="/waymark" />');
      const script = addresses.find((address) => address.endsWith(".js")) ?? "";
      expect((await http.get(script.replace(/^\/waymark/, sent), { key: null })).status).toBe(200);
    }
  });

  it("the description of the API names the path as its server, and its page loads", async () => {
    const { body } = await http.get<{ servers: unknown }>(`${sent}/openapi.json`);
    expect(body.servers).toEqual([{ url: "/waymark" }]);
    expect((await http.get(`${sent}/docs`)).text).toContain(
      'src="/waymark/docs/static/swagger-ui-bundle.js"',
    );
    const redirect = await http.get(`${sent}/docs/static/index.html`);
    expect(redirect.headers.get("location")).toBe("/waymark/docs/");
  });

  it("a path that is there twice is an error that says so", async () => {
    const path = `${sent}/waymark/waymark/api/limits`;
    expect(await errorOf(http, path)).toContain("has /waymark twice");
  });

  it("health and readiness are there for probes", async () => {
    for (const path of ["/healthz", "/readyz"]) expect((await http.get(sent + path)).status).toBe(200);
  });
});

describe("below a path", () => {
  it("the session's cookie is for this path, so that other products of the host don't get it", async () => {
    const { setCookie, token } = await signIn(api, stack.apiKey);
    expect(setCookie).toBe(
      `__Secure-waymark_session=${token}; Path=/waymark; HttpOnly; SameSite=Strict; Max-Age=43200; Secure`,
    );
    expect(await outcomeOf(api, `__Secure-waymark_session=${token}`)).toBe("200");
    expect(await outcomeOf(api, `__Host-waymark_session=${token}`)).toContain("401 missing_credentials");
  });

  it("a server without the path in PUBLIC_BASE_URL says what is missing", async () => {
    expect(await errorOf(stack.http, "/waymark/api/limits")).toContain(
      "PUBLIC_BASE_URL of the server must have",
    );
    expect(await errorOf(stack.http, "/tools/waymark/healthz")).toContain("PUBLIC_BASE_URL");
    expect(await errorOf(stack.http, "/api/nowhere")).not.toContain("PUBLIC_BASE_URL");
    const page = await stack.http.get("/waymark/services", { key: null, headers: BROWSER });
    expect(page.text).toContain("PUBLIC_BASE_URL of the server must");
  });

  it("no path of the server itself can be the base path", async () => {
    const routes = await registeredRoutes(stack.databaseUrl);
    const first = new Set(
      routes.map(({ url }) => url.split("/")[1] ?? "").filter((part) => part !== "" && part !== "*"),
    );
    expect(first.size).toBeGreaterThan(10);
    expect([...first].filter((part) => !OWN_PATHS.has(part))).toEqual([]);
  });
});
