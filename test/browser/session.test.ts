import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { ingest } from "@waymark/test-support/scans.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ageSession } from "@waymark/test-support/sessions.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function signIn(page: Page, { path = "/", apiKey = ui.stack.apiKey } = {}): Promise<void> {
  await page.goto(path);
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const services = (page: Page) => page.getByRole("heading", { name: "Services", exact: true });
const signInPage = (page: Page) => page.getByRole("heading", { name: "Sign in to Waymark" });

describe("signing in", () => {
  it("keeps the key nowhere in the browser, and signs out", async () => {
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await signIn(page);
    await services(page).waitFor();
    const stored = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage])");
    const cookies = await page.context().cookies();
    const secret = ui.stack.apiKey.slice("wmk_".length + 13);
    expect(stored + JSON.stringify(cookies)).not.toContain(secret);
    expect(cookies).toMatchObject([{ name: "waymark_session", httpOnly: true, sameSite: "Strict" }]);

    await page.getByRole("button", { name: "Sign out" }).click();
    await signInPage(page).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("says what is wrong with a key", async () => {
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await signIn(page, { apiKey: "wmk_junk" });
    await page.getByRole("alert").getByText("not a valid API key").waitFor();
    const expired = await createKey(ui.stack, ["*"], { expiresAt: new Date(Date.now() - 1000) });
    await signIn(page, { apiKey: expired });
    await page.getByRole("alert").getByText("has expired").waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it("keeps the key while the server can't be reached, and says so", async () => {
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await page.goto("/");
    await page.getByLabel("API key").fill(ui.stack.apiKey);
    await page.route("**/api/session", (route) => route.abort());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("The server can't be reached.").waitFor();
    await page.unrouteAll();
    await page.getByRole("button", { name: "Sign in" }).click();
    await services(page).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("leads a key of one service to that service", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "the only one" }));
    const scopes = ["services:read", "endpoints:read"].map((permission) => ({ permission, serviceId }));
    await using opened = await ui.open({ as: await createKey(ui.stack, scopes) });
    const { page } = opened;
    await page.goto("/");
    await page.getByRole("heading", { name: "the only one" }).waitFor();
    // An unknown tab shows the first one.
    await page.goto(`/services/${serviceId}?tab=xyz`);
    await page.getByRole("tab", { name: /Endpoints/, selected: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("comes back to the page that was opened signed out", async () => {
    const { scanRunId } = await ui.scan(scanPayload({ serviceName: "linked" }));
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await signIn(page, { path: `/scan-runs/${scanRunId}?tab=findings&severity=low` });
    await page.getByRole("heading", { name: "linked" }).waitFor();
    await page.getByRole("tab", { name: /Findings/, selected: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?tab=findings&severity=low");
  });

  it("works by keyboard alone, and so does what follows", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "by keyboard" }));
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await page.goto("/?q=keyboard");
    await page.getByLabel("API key").focus();
    await page.keyboard.insertText(ui.stack.apiKey);
    await page.keyboard.press("Enter");
    await services(page).waitFor();
    await page.getByRole("link", { name: "by keyboard" }).waitFor();

    // The first stop of a page leads past its navigation.
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    for (let stops = 0; stops < 12 && (await focused(page)) !== "by keyboard"; stops++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/services/${serviceId}`);
    await page.getByRole("heading", { name: "by keyboard" }).waitFor();
    await page.keyboard.press("Tab");
    // The new page has the focus: not the header again, but its own first link.
    expect(await focused(page)).toBe("Services");
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
    expect(opened.complaints).toEqual([]);
  });
});

describe("a session", () => {
  it("that was signed out of is dead in every copy, and stays open while the server can't be told", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const [cookie] = await page.context().cookies();
    await page.goto("/");
    await services(page).waitFor();

    await page.route("**/api/session", (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("alert").getByText("You are still signed in").waitFor();
    await services(page).waitFor();

    await page.unrouteAll();
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInPage(page).waitFor();
    const copy = await ui.stack.http.get("/api/session", {
      key: null,
      headers: { cookie: `waymark_session=${cookie?.value}` },
    });
    expect(copy.status).toBe(401);
    expect(opened.complaints).toEqual([]);
  });

  it("that was not used for an hour ends with a sentence and the sign-in page", async () => {
    // A page that waits for a first service would ask, and find out, before the click.
    await ingest(ui.stack, scanPayload({ serviceName: "scanned" }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/");
    await services(page).waitFor();
    const [cookie] = await page.context().cookies();
    await ageSession(ui.stack, cookie?.value ?? "", "last_seen_at", 3600);
    await page.getByRole("link", { name: "API keys" }).click();
    await signInPage(page).waitFor();
    await page.getByText("You were signed out").waitFor();
    await page.getByText("Your session has ended after 60 minutes without use. Sign in again.").waitFor();
    await signIn(page, { path: "/api-keys" });
    await page.getByRole("heading", { name: "API keys", exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("ends at once when the key is revoked, and says so", async () => {
    const apiKey = await createKey(ui.stack, ["*"]);
    await using opened = await ui.open({ as: apiKey });
    const { page } = opened;
    await page.goto("/");
    await services(page).waitFor();
    const self = await ui.stack.http.post("/api/api-keys/self/revoke", {}, { key: apiKey });
    expect(self.status).toBe(200);
    // Without a reload: the next page's own question finds out.
    await page.getByRole("link", { name: "API keys" }).click();
    await signInPage(page).waitFor();
    await page.getByText("You were signed out").waitFor();
    await page.getByText("revoked").waitFor();
    await page.reload();
    await page.getByText("revoked").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("that is over is noticed by what changes something, too", async () => {
    const apiKey = await createKey(ui.stack, ["*"]);
    await using opened = await ui.open({ as: apiKey });
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("too late");
    await ui.stack.http.post("/api/api-keys/self/revoke", {}, { key: apiKey });
    await page.getByRole("button", { name: "Create key" }).click();
    await signInPage(page).waitFor();
    await page.getByText("You were signed out").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows what the key may not see as such, and what it may see beside it", async () => {
    const { scanRunId, serviceId } = await ui.scan(scanPayload({ serviceName: "forbidden" }));
    await using blind = await ui.open({ as: await createKey(ui.stack, ["scans:create"]) });
    await blind.page.goto(`/scan-runs/${scanRunId}`);
    await blind.page.getByText("You don't have access").waitFor();
    await blind.page.getByText("services:read").waitFor();
    await using half = await ui.open({ as: await createKey(ui.stack, ["services:read"]) });
    await half.page.goto(`/services/${serviceId}`);
    await half.page.getByRole("heading", { name: "forbidden" }).waitFor();
    await half.page.getByText("endpoints:read").waitFor();
    await half.page.getByRole("tab", { name: "Scan runs" }).click();
    await half.page.getByRole("cell", { name: "current" }).waitFor();
    await half.page.goto("/api-keys");
    await half.page.getByText("api-keys:read").waitFor();
    expect([...blind.complaints, ...half.complaints]).toEqual([]);
  });

  it("counts only for the console's own pages", async () => {
    await using opened = await ui.open();
    const [cookie] = await opened.page.context().cookies();
    const headers = { cookie: `waymark_session=${cookie?.value}` };
    const { http } = ui.stack;
    const foreign = { key: null, headers: { ...headers, origin: "https://evil.example" } };
    expect((await http.post("/api/api-keys", { name: "x" }, foreign)).status).toBe(403);
    expect((await http.post("/api/api-keys/self/revoke", {}, { key: null, headers })).status).toBe(403);
    expect((await http.get("/api/session", { key: null, headers })).status).toBe(200);
  });
});

/** The accessible name, or the text, of what has the focus. */
async function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()",
  );
}
