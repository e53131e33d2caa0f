import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCaptured, temporaryFolder } from "../../cli/src/test-support/run-captured.ts";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { type BrowserWindows, createWindows } from "@waymark/test-support/browser-windows.ts";
import { sharedBrowser } from "@waymark/test-support/browser.ts";
import { createJourneyPages, type PageCase } from "@waymark/test-support/console-pages.ts";
import { type LoadBalancer, startLoadBalancer } from "@waymark/test-support/load-balancer.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { scanDescription } from "@waymark/test-support/scans/described-run.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startApi, startStack, type TestApi } from "@waymark/test-support/stack.ts";

const SPEC = `openapi: 3.1.0
info: { title: Orders, version: "1" }
paths: { /orders: { get: { responses: { "200": { description: All orders } } } } }
`;
const BOOKS = { "/books": { get: { responses: { "200": { description: "All books" } } } } };
/** Paths of the proxy's host: one that it removes, one that it passes on, one of a server that does not know it. */
const REMOVED = "/waymark";
const PASSED_ON = "/tools/waymark";
const UNKNOWN = "/unknown";

let stack: Stack;
let proxy: LoadBalancer;
let apis: readonly TestApi[] = [];
let windows: BrowserWindows;
let journeyPages: readonly PageCase[];
let serviceId: string;
let scanRunId: string;
let describedId: string;
beforeAll(async () => {
  stack = await startStack();
  const [removing, passing] = [await findFreePort(), await findFreePort()];
  proxy = await startLoadBalancer([], (_none, port) =>
    configuration(port, { removing, passing, unknown: Number(new URL(stack.api.baseUrl).port) }),
  );
  const start = (port: number, path: string) =>
    startApi({
      databaseUrl: stack.databaseUrl,
      env: { PORT: String(port), PUBLIC_BASE_URL: proxy.baseUrl + path },
    });
  apis = await Promise.all([start(removing, REMOVED), start(passing, `${PASSED_ON}/`)]);
  windows = createWindows(await sharedBrowser(), proxy.baseUrl);
  journeyPages = await createJourneyPages(stack);
  const first = await ingest(stack, scanPayload({ serviceName: "below", endpoints: 3, findings: 2 }));
  await waitForRun(stack, first.body.scanRunId);
  const second = await ingest(stack, scanPayload({ serviceName: "below", endpoints: 4, findings: 2 }));
  await waitForRun(stack, second.body.scanRunId);
  ({ serviceId, scanRunId } = second.body);
  const description = { openapi: "3.1.0", info: { title: "Books", version: "1" }, paths: BOOKS };
  ({ serviceId: describedId } = await scanDescription(stack, { serviceName: "books", description }));
}, 180_000);
afterAll(async () => {
  await windows[Symbol.asyncDispose]();
  for (const api of apis) await api[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

interface Ports {
  removing: number;
  passing: number;
  unknown: number;
}

/** A host of several products: what belongs to none of these paths is another product's. */
function configuration(port: number, { removing, passing, unknown }: Ports): string {
  return `
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
frontend host
  bind 127.0.0.1:${port}
  use_backend removing if { path ${REMOVED} } or { path_beg ${REMOVED}/ }
  use_backend passing if { path ${PASSED_ON} } or { path_beg ${PASSED_ON}/ }
  use_backend unknown if { path_beg ${UNKNOWN}/ }
  default_backend another
backend removing
  http-request replace-path ${REMOVED}(/)?(.*) /\\2
  server api 127.0.0.1:${removing}
backend passing
  server api 127.0.0.1:${passing}
backend unknown
  server api 127.0.0.1:${unknown}
backend another
  http-request return status 404 content-type text/plain string "another product"
`;
}

/** The addresses of links that leave the path of the server. */
const LEAVING = (path: string) => `[...document.querySelectorAll("a[href], img[src]")]
  .map((element) => new URL(element.getAttribute("href") ?? element.getAttribute("src"), document.baseURI))
  .filter(({ origin, pathname }) => origin === location.origin && pathname !== "${path}" && !pathname.startsWith("${path}/"))
  .map(String)`;

function pagesOf(): readonly PageCase[] {
  return [
    {
      name: "overview",
      path: "/",
      ready: (page) => page.getByRole("link", { name: "below" }).first().waitFor(),
    },
    {
      name: "services",
      path: "/services/",
      ready: (page) => page.getByRole("link", { name: "below" }).waitFor(),
    },
    {
      name: "a service",
      path: `/services/${serviceId}`,
      ready: (page) => page.getByRole("table", { name: "Endpoints" }).waitFor(),
    },
    {
      name: "a run",
      path: `/scan-runs/${scanRunId}?tab=endpoints`,
      ready: (page) => page.getByText("4 of 4").waitFor(),
    },
    {
      name: "findings",
      path: "/findings",
      ready: (page) => page.getByRole("link", { name: "CSV", exact: true }).first().waitFor(),
    },
    {
      name: "a description, which a thread of its own reads",
      path: `/services/${describedId}/description`,
      ready: (page) => page.getByText("OpenAPI 3.1.0, 1 operation").waitFor(),
    },
    {
      name: "keys",
      path: "/api-keys",
      ready: (page) => page.getByRole("button", { name: "Details of First key" }).waitFor(),
    },
    {
      name: "nothing",
      path: "/nowhere",
      ready: (page) => page.getByText("No page has this address").waitFor(),
    },
  ];
}

describe.each([
  ["removes", REMOVED],
  ["passes on", PASSED_ON],
])("the console below a path that a proxy %s", (_what, base) => {
  async function signIn(page: Page): Promise<void> {
    await page.goto(base);
    await page.getByLabel("API key").fill(stack.apiKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  }

  it("loads, signs in, and asks for nothing and leads nowhere else on the host", async () => {
    const { page, context } = await windows.open({ reducedMotion: "reduce" });
    const outside: string[] = [];
    const failed: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname !== base && !pathname.startsWith(`${base}/`)) outside.push(pathname);
    });
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() >= 400 && !/\/(nowhere|api\/session)$/.test(pathname)) failed.push(pathname);
    });
    await signIn(page);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "waymark_session", path: base });
    const leaving: string[] = [];
    // The pages of journeys once: the console does not know which kind of proxy it is behind.
    for (const { name, path, ready } of [...pagesOf(), ...(base === PASSED_ON ? journeyPages : [])]) {
      await page.goto(base + path);
      await ready(page);
      const found = await page.evaluate<string[]>(LEAVING(base));
      leaving.push(...found.map((address) => `${name}: ${address}`));
    }
    expect({ outside, leaving, failed }).toEqual({ outside: [], leaving: [], failed: [] });
    await context.close();
  });

  it("goes on by its links, Back, tabs, dialogs and addresses with filters", async () => {
    const { page, context } = await windows.open({ reducedMotion: "reduce" });
    const pathOf = () => new URL(page.url()).pathname;
    await signIn(page);
    await page.getByRole("link", { name: "Services", exact: true }).click();
    await page.getByRole("link", { name: "below" }).click();
    await page.waitForURL(`**${base}/services/${serviceId}`);
    await page.getByRole("tab", { name: "Scan runs" }).click();
    await expect.poll(() => page.url()).toContain(`${base}/services/${serviceId}?tab=runs`);
    await page.reload();
    await page.getByRole("tab", { name: "Scan runs", selected: true }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Services" }).waitFor();
    expect(pathOf()).toBe(`${base}/services`);
    // Links to a part of the same page, also in a new tab.
    await page.goto(`${base}/scan-runs/${scanRunId}?tab=endpoints`);
    await page.getByText("4 of 4").waitFor();
    await page.getByText("About this scan", { exact: true }).click();
    const own = await page.locator('main a[href^="?"]:visible').first().getAttribute("href");
    await page.locator(`main a[href="${own}"]:visible`).first().click();
    await expect.poll(() => page.url()).toContain(`${base}/scan-runs/${scanRunId}${own}`);
    await page.goto(`${base}/api-keys`);
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByRole("dialog").waitFor();
    await expect.poll(() => page.url()).toContain(`${base}/api-keys?new=ci-scan`);
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    await page.reload();
    await page.getByLabel("API key").waitFor();
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });

  it.each(["", "/"])("serves the command with an address that ends in %j", async (end) => {
    const folder = await temporaryFolder();
    await folder.write("openapi.yaml", SPEC);
    const env = { SERVICE_API_URL: proxy.baseUrl + base + end, SERVICE_API_KEY: stack.apiKey };
    const run = (...args: string[]) => runCaptured(args, { cwd: folder.path, env });
    const doctor = await run("doctor");
    expect({ exitCode: doctor.exitCode, output: doctor.stdout + doctor.stderr }).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(`${proxy.baseUrl}${base} responds`),
    });
    const scan = await run("scan", "--service", "orders", "--spec", "openapi.yaml");
    expect(scan).toMatchObject({ exitCode: 0 });
    expect(scan.stdout + scan.stderr).toMatch(`${proxy.baseUrl}${base}/scan-runs/`);
  });
});

describe("a server whose PUBLIC_BASE_URL lacks the path of the proxy", () => {
  it("says so in place of the empty page, and to the command", async () => {
    const { page, context } = await windows.open({});
    await page.goto(`${UNKNOWN}/services`);
    await page.getByText("PUBLIC_BASE_URL of the server must be the address in this browser").waitFor();
    await context.close();
    const env = { SERVICE_API_URL: proxy.baseUrl + UNKNOWN, SERVICE_API_KEY: stack.apiKey };
    const { exitCode, stdout, stderr } = await runCaptured(["doctor"], { env });
    expect(exitCode).toBeGreaterThan(1);
    expect(stdout + stderr).toContain("PUBLIC_BASE_URL of the server must have that path");
  });

  it("shows nothing of that text on a page that has loaded", async () => {
    const { page, context } = await windows.open({});
    await page.goto(REMOVED);
    await page.getByLabel("API key").waitFor();
    expect(await page.getByText("can't load its files").isVisible()).toBe(false);
    await context.close();
  });
});
