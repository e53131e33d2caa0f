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

const overview = (page: Page) => page.getByRole("heading", { name: "Overview", exact: true });
const signInPage = (page: Page) => page.getByRole("heading", { name: "Sign in to Waymark" });

describe("signing in", () => {
  it("keeps the key nowhere in the browser, and signs out", async () => {
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await signIn(page);
    await overview(page).waitFor();
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

  it("asks for the organization's sign-in again after a failure, with the same text", async () => {
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await page.goto("/");
    await page.getByRole("button", { name: "Use your organization's account" }).click();
    const field = page.getByLabel("Work e-mail or organization");
    await field.fill("acme");
    const route = (url: URL) => url.pathname === "/api/sign-in-options";
    await page.route(route, (request) => request.abort());
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").getByText("The server can't be reached.").waitFor();
    await page.unrouteAll();
    await field.press("Enter");
    await page.getByText("No sign-in was found").waitFor();
    expect(await page.getByText("Sign-in failed").count()).toBe(0);
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
    await overview(page).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("opens the service of a key that is limited to one", async () => {
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

  it("returns to the page that was opened while signed out", async () => {
    const { scanRunId } = await ui.scan(scanPayload({ serviceName: "linked" }));
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await signIn(page, { path: `/scan-runs/${scanRunId}?tab=findings&severity=low` });
    await page.getByRole("heading", { name: "linked" }).waitFor();
    await page.getByRole("tab", { name: /Findings/, selected: true }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe("?tab=findings&severity=low");
  });

  it("works with the keyboard only, and so does the page that follows", async () => {
    const { serviceId } = await ui.scan(scanPayload({ serviceName: "by keyboard" }));
    await using opened = await ui.open({ as: null });
    const { page } = opened;
    await page.goto("/services?q=keyboard");
    await page.getByLabel("API key").focus();
    await page.keyboard.insertText(ui.stack.apiKey);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Services", exact: true }).waitFor();
    await page.getByRole("link", { name: "by keyboard" }).waitFor();

    // The first focusable element skips the navigation.
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    for (let stops = 0; stops < 20 && (await focused(page)) !== "by keyboard"; stops++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/services/${serviceId}`);
    await page.getByRole("heading", { name: "by keyboard" }).waitFor();
    await page.keyboard.press("Tab");
    // The focus is on the new page: on its first link, not on the header.
    expect(await focused(page)).toBe("Services");
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
    expect(opened.complaints).toEqual([]);
  });
});

describe("a session", () => {
  it("that was signed out of is invalid in every copy, and stays open if the server can't be reached", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const [cookie] = await page.context().cookies();
    await page.goto("/");
    await overview(page).waitFor();

    await page.route("**/api/session", (route) =>
      route.request().method() === "DELETE" ? route.abort() : route.continue(),
    );
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("alert").getByText("You are still signed in").waitFor();
    await overview(page).waitFor();

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

  it("that was not used for an hour ends, and the sign-in page says why", async () => {
    // A page that waits for a first service would poll, and notice it before the click.
    await ingest(ui.stack, scanPayload({ serviceName: "scanned" }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/");
    await overview(page).waitFor();
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
    // A page that asks for nothing once it is complete, with the number of each.
    await page.goto("/limits");
    for (const name of ["Services", "Active API keys", "Environments", "Schedules"])
      await page
        .locator("dt", { hasText: new RegExp(`^${name}$`) })
        .first()
        .locator("+ dd")
        .getByText(/^\d/)
        .waitFor();
    const self = await ui.stack.http.post("/api/api-keys/self/revoke", {}, { key: apiKey });
    expect(self.status).toBe(200);
    // Without a reload: the next page's request notices it.
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "API keys" }).click();
    await signInPage(page).waitFor();
    await page.getByText("You were signed out").waitFor();
    await page.getByText("revoked").waitFor();
    await page.reload();
    await page.getByText("revoked").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("that has ended is also noticed by requests that change something", async () => {
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
    // The result of a new attempt stands alone.
    await page.getByLabel("API key").fill("wmk_junk");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("not a valid API key").waitFor();
    expect(await page.getByText("You were signed out").count()).toBe(0);
  });

  it("marks what the key can't see, and shows the rest", async () => {
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

  it("is accepted only from the console's own pages", async () => {
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

/** The accessible name or the text of the focused element. */
async function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()",
  );
}
