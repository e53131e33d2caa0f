import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchBrowser } from "../support/browser.ts";
import { createKey } from "../support/keys.ts";
import { scanPayload } from "../support/scan-payload.ts";
import { ingest, waitForRun } from "../support/scans.ts";
import { type Stack, startStack, startWorker } from "../support/stack.ts";

let stack: Stack;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** What the page complained about: errors, and violations of its own content security policy. */
let complaints: string[];

beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack(), launchBrowser()]);
}, 180_000);
afterAll(async () => {
  await browser.close();
  await stack[Symbol.asyncDispose]();
});
beforeEach(async () => {
  context = await browser.newContext({ baseURL: stack.api.baseUrl });
  page = await context.newPage();
  complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("Failed to load resource"))
      complaints.push(message.text());
  });
});
afterEach(() => context.close());

async function signIn(path = "/", apiKey = stack.apiKey): Promise<void> {
  await page.goto(path);
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function scan(payload: Parameters<typeof ingest>[1]) {
  const { body } = await ingest(stack, payload);
  await waitForRun(stack, body.scanRunId);
  return body;
}

async function expectAccessible(): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`)).toEqual(
    [],
  );
}

describe("signing in", () => {
  it("keeps the key nowhere in the browser, and signs out", async () => {
    await signIn();
    await page.getByRole("heading", { name: "Services" }).waitFor();
    const stored = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage])");
    const cookies = await context.cookies();
    const secret = stack.apiKey.slice("wmk_".length + 13);
    expect(stored + JSON.stringify(cookies)).not.toContain(secret);
    expect(cookies).toMatchObject([{ name: "waymark_session", httpOnly: true, sameSite: "Strict" }]);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Waymark" }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says what is wrong with a key", async () => {
    await signIn("/", "wmk_junk");
    await page.getByRole("alert").getByText("not a valid API key").waitFor();
    const expired = await createKey(stack, ["*"], { expiresAt: new Date(Date.now() - 1000) });
    await signIn("/", expired);
    await page.getByRole("alert").getByText("has expired").waitFor();
    expect(await context.cookies()).toEqual([]);
  });

  it("comes back to the page that was opened signed out", async () => {
    const { scanRunId } = await scan(scanPayload({ serviceName: "linked" }));
    await signIn(`/scan-runs/${scanRunId}?tab=findings`);
    await page.getByRole("heading", { name: "linked" }).waitFor();
    await page.getByRole("tab", { name: /Findings/, selected: true }).waitFor();
    expect(page.url()).toContain(`/scan-runs/${scanRunId}?tab=findings`);
  });

  it("ends at once when the key is revoked", async () => {
    const apiKey = await createKey(stack, ["*"]);
    await signIn("/", apiKey);
    await page.getByRole("heading", { name: "Services" }).waitFor();
    const self = await stack.http.post("/api/api-keys/self/revoke", {}, { key: apiKey });
    expect(self.status).toBe(200);
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Waymark" }).waitFor();
  });

  it("shows what the key may not see as such", async () => {
    const { scanRunId } = await scan(scanPayload({ serviceName: "forbidden" }));
    await signIn(`/scan-runs/${scanRunId}`, await createKey(stack, ["scans:create"]));
    await page.getByText("Your key may not see this").waitFor();
    await page.getByText("services:read").waitFor();
    expect(complaints).toEqual([]);
  });

  it("takes the cookie from the console's own pages only", async () => {
    await signIn();
    await page.getByRole("heading", { name: "Services" }).waitFor();
    const [cookie] = await context.cookies();
    const headers = { cookie: `waymark_session=${cookie?.value}` };
    const options = { key: null, headers: { ...headers, origin: "https://evil.example" } };
    const foreign = await stack.http.post("/api/api-keys", { name: "x" }, options);
    expect(foreign.status).toBe(403);
    const silent = await stack.http.post("/api/api-keys/self/revoke", {}, { key: null, headers });
    expect(silent.status).toBe(403);
    expect((await stack.http.get("/api/session", { key: null, headers })).status).toBe(200);
  });
});

describe("a scan run", () => {
  it("arrives live: progress first, then its result without a reload", async () => {
    await stack.worker.stop();
    const { body } = await ingest(stack, scanPayload({ serviceName: "live", endpoints: 12 }));
    await signIn(`/scan-runs/${body.scanRunId}`);
    await page.getByText("Accepted and safe").waitFor();
    stack.worker = await startWorker(stack);
    await page.getByRole("tab", { name: "Endpoints (12)" }).waitFor();
    await page.getByText("12 of 12").waitFor();
    expect(complaints).toEqual([]);
  });

  it("filters 2,000 endpoints within 100 ms an interaction, and keeps the filters in the address", async () => {
    const { scanRunId } = await scan(scanPayload({ serviceName: "large", endpoints: 2000, findings: 500 }));
    await signIn(`/scan-runs/${scanRunId}`);
    await page.getByText("2,000 of 2,000").waitFor();
    expect(await page.getByRole("row").count()).toBeLessThan(80);

    const search = page.getByLabel("Search");
    const texts = ["/v1/things/19", "/v1/things/1", "op", "", "/v1", "things", ""];
    expect(await typingMs(page, "input[placeholder^=Path]", texts)).toBeLessThan(100);
    await search.fill("/v1/things/77/");
    await page.getByText("1 of 2,000").waitFor();
    await page.getByRole("button", { name: /^Path/ }).click();
    expect(page.url()).toMatch(/q=%2Fv1%2Fthings%2F77%2F.*sort=path/);

    await page.reload();
    await page.getByText("1 of 2,000").waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("/v1/things/77/");
  });

  it("shows what changed since the previous run", async () => {
    const before = scanPayload({ serviceName: "changing", endpoints: 3, findings: 1 });
    await scan(before);
    const { scanRunId } = await scan({ ...before, endpoints: before.endpoints.slice(1), findings: [] });
    await signIn(`/scan-runs/${scanRunId}?tab=changes`);
    await page.getByRole("heading", { name: "Removed endpoints (1)" }).waitFor();
    await page.getByRole("heading", { name: "Fixed findings (1)" }).waitFor();
    await page.getByText("/v1/things/0/{id}").waitFor();
    await expectAccessible();
    expect(complaints).toEqual([]);
  });

  it("shows hostile strings as text", async () => {
    const script = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
    const payload = scanPayload({ serviceName: script, endpoints: 1, findings: 1 });
    Object.assign(payload.endpoints[0] ?? {}, { path: script, summary: script, tags: [script] });
    Object.assign(payload.findings[0] ?? {}, { message: script, code: script.slice(0, 120), path: script });
    const { scanRunId } = await scan(payload);
    await signIn(`/scan-runs/${scanRunId}`);
    await page.getByRole("heading", { name: script }).waitFor();
    await page.getByRole("cell", { name: script }).first().waitFor();
    await page.getByRole("tab", { name: /Findings/ }).click();
    await page.getByRole("cell", { name: script }).first().waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(complaints).toEqual([]);
  });
});

describe("API keys", () => {
  it("are created, shown once, and revoked after a second question", async () => {
    await signIn("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("orders pipeline");
    await page.getByRole("button", { name: "Create the key" }).click();
    const rawKey = (await page.getByTestId("raw-key").textContent()) ?? "";
    expect(rawKey).toMatch(/^wmk_/);
    expect((await stack.http.get("/api/api-keys/self", { key: rawKey })).status).toBe(200);
    await page.getByText("SERVICE_API_KEY: ${{ secrets.WAYMARK_API_KEY }}").waitFor();
    await expectAccessible();
    await page.getByRole("button", { name: "I have stored it" }).click();
    expect(await page.content()).not.toContain(rawKey);

    await page.getByRole("button", { name: "Inspect orders pipeline" }).click();
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Revoke this key" }).click();
    await page
      .getByRole("row", { name: /orders pipeline/ })
      .getByText("revoked")
      .waitFor();
    expect((await stack.http.get("/api/api-keys/self", { key: rawKey })).status).toBe(401);
    expect(complaints).toEqual([]);
  });
});

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
  it("axe finds nothing on any page, and nothing breaks the page's own policy", async () => {
    await context.close();
    context = await browser.newContext({ baseURL: stack.api.baseUrl, colorScheme, reducedMotion: "reduce" });
    page = await context.newPage();
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) complaints.push(message.text());
    });
    const { scanRunId, serviceId } = await scan(
      scanPayload({ serviceName: `axe ${colorScheme}`, endpoints: 60, findings: 20 }),
    );
    await scan(scanPayload({ serviceName: `axe ${colorScheme}`, endpoints: 61, findings: 20 }));
    await page.goto("/");
    await page.getByLabel("API key").waitFor();
    await expectAccessible();
    await signIn();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    for (const [path, shown] of [
      ["/", "Services"],
      [`/services/${serviceId}`, "Scan runs"],
      [`/scan-runs/${scanRunId}`, `axe ${colorScheme}`],
      [`/scan-runs/${scanRunId}?tab=findings`, `axe ${colorScheme}`],
      ["/api-keys", "API keys"],
      ["/scan-runs/11111111-1111-1111-1111-111111111111", ""],
    ] as const) {
      await page.goto(path);
      if (shown === "") await page.getByText("Nothing here").waitFor();
      else await page.getByRole("heading", { name: shown, exact: true }).first().waitFor();
      await page.waitForLoadState("networkidle");
      await expectAccessible();
    }
    expect(complaints).toEqual([]);
  }, 180_000);
});

/** From typing into a field to the frame that shows the outcome, in the page's own time: the median of the texts. */
async function typingMs(target: Page, field: string, texts: readonly string[]): Promise<number> {
  // As text: it is the page's code, not the test's.
  const measured = await target.evaluate<number[]>(`(async () => {
    const field = document.querySelector(${JSON.stringify(field)});
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    const measured = [];
    for (const text of ${JSON.stringify(texts)}) {
      const start = performance.now();
      setValue.call(field, text);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      measured.push(performance.now() - start);
    }
    return measured;
  })()`);
  return measured.toSorted((x, y) => x - y)[Math.floor(measured.length / 2)] ?? Number.POSITIVE_INFINITY;
}
