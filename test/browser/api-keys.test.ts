import type { Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey } from "@waymark/test-support/api-keys.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { holdRequests } from "@waymark/test-support/hold-requests.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const isPost = (request: Request) => request.method() === "POST";
const statusOf = async (key: string) => (await ui.stack.http.get("/api/api-keys/self", { key })).status;

describe("API keys", () => {
  it("are searched, filtered by state and sorted, in the address, and say what they did", async () => {
    const soon = new Date(Date.now() + 10 * 24 * 3600 * 1000).toISOString();
    const made = await makeKey(ui.stack, { name: "ending soon", scopes: ["audit:read"], expiresAt: soon });
    // A request that is refused is in the audit record.
    expect((await ui.stack.http.get("/api/services", { key: made.rawKey })).status).toBe(403);
    await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "expires in 30 days" }).click();
    await page.getByLabel("Search").fill("audit:read");
    const row = page.getByRole("row").filter({ hasText: "ending soon" });
    await row.getByText("in 9 days", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.getByRole("button", { name: "Last used" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?state=expiring&q=audit%3Aread&sort=used");
    await row.getByRole("button", { name: "Details of ending soon" }).click();
    await page.getByText("by key First key").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await row.getByRole("link", { name: "Activity of ending soon" }).click();
    const refused = page.getByRole("row").filter({ hasText: "Request refused" });
    await refused.getByText("GET /api/services, permission_denied").waitFor();
    await refused.getByText("ending soon").first().waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    // Choosing the selected option clears it.
    await page.getByRole("combobox", { name: "By key" }).click();
    await page.getByRole("option", { name: "ending soon" }).click();
    await page.getByRole("cell", { name: "Key created" }).first().waitFor();
    await page.getByRole("combobox", { name: "Action" }).click();
    await page.getByRole("option", { name: "Secret set" }).click();
    await page.getByText("No event matches these filters.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are created with a preset and a service, shown once with a job for the pipeline", async () => {
    await ui.scan(scanPayload({ serviceName: "orders" }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("orders pipeline");
    await page.getByText("The key expires on").waitFor();
    // The permissions of a preset are folded. Each says what it allows.
    expect(await page.getByRole("checkbox", { name: "services:read" }).count()).toBe(0);
    await page.getByText(/^Permissions: .*scans:create/).click();
    await page.getByText("Read endpoints, findings and changes", { exact: true }).waitFor();
    await page.getByRole("radio", { name: "CI with gates" }).check();
    expect(await page.getByRole("checkbox", { name: "services:read" }).isChecked()).toBe(true);
    await page.getByRole("checkbox", { name: "endpoints:read" }).uncheck();
    expect(await page.getByRole("radio", { name: "CI with gates" }).isChecked()).toBe(false);
    await page.getByRole("combobox", { name: "Only for these services" }).fill("ord");
    await page.getByRole("option", { name: "orders" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    const rawKey = (await page.getByTestId("raw-key").textContent()) ?? "";
    expect(rawKey).toMatch(/^wmk_/);
    expect(await statusOf(rawKey)).toBe(200);
    await page.getByText("SERVICE_API_KEY: ${{ secrets.WAYMARK_API_KEY }}").waitFor();
    await page.getByText(/ubuntu-latest[^]*waymark scan --service orders --spec/).waitFor();
    await page.getByRole("tab", { name: "GitLab CI" }).click();
    await page.getByText('SERVICE_API_KEY="$WAYMARK_API_KEY"').waitFor();
    await page.getByRole("button", { name: "I've saved the key" }).click();
    await page.getByText("and 4 more, only for orders").waitFor();
    await page.getByTestId("raw-key").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(rawKey);
    expect(opened.complaints).toEqual([]);
  });

  it("are not lost by Escape or × while they are created or rotated", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const tryToClose = async () => {
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Close", exact: true }).click();
      await page.keyboard.press("Escape");
    };
    const key = page.getByTestId("raw-key");
    await page.goto("/api-keys?new=ci-scan");
    await page.getByLabel("Name").fill("slow");
    const created = await holdRequests(page, "**/api/api-keys", isPost);
    await page.getByRole("button", { name: "Create key" }).click();
    await created.begun;
    await tryToClose();
    await created.letGo();
    await key.waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Close without copying" }).click();
    await page.getByRole("button", { name: "Details of slow", exact: true }).click();
    await page.getByRole("button", { name: "Rotate…" }).click();
    const rotated = await holdRequests(page, "**/api/api-keys/*/rotate", isPost);
    await page.getByRole("button", { name: "Rotate key" }).click();
    await rotated.begun;
    await tryToClose();
    await rotated.letGo();
    await key.waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("that were not copied are not lost by Escape, × or Back, and the focus returns", async () => {
    await using opened = await ui.open({ context: { viewport: { width: 360, height: 740 } }, isNew: true });
    const { page } = opened;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/");
    await page.getByRole("link", { name: "API keys" }).click();
    const create = page.getByRole("button", { name: "Create a key" });
    await create.click();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await create.click();
    await page.getByLabel("Name").fill("kept");
    await page.getByRole("button", { name: "Create key" }).click();
    const key = page.getByTestId("raw-key");
    await key.waitFor();
    // All of it is visible.
    const isWhole = "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)";
    expect(await page.evaluate(`${isWhole}(document.querySelector("[data-testid=raw-key]"))`)).toBe(true);
    const question = page.getByRole("alert").getByText("Close without copying the key?");
    const leave: (() => Promise<unknown>)[] = [
      () => page.keyboard.press("Escape"),
      () => page.getByRole("button", { name: "Close", exact: true }).click(),
      () => page.goBack(),
    ];
    for (const attempt of leave) {
      await attempt();
      await question.waitFor();
      await page.getByRole("button", { name: "Keep it open" }).click();
      await question.waitFor({ state: "detached" });
    }
    // The other ways to another page are closed.
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("button", { name: "Copy the key" }).focus();
    await page.keyboard.press("?");
    await question.waitFor({ state: "detached" });
    expect(await page.getByRole("dialog").count()).toBe(1);
    // It says so for two seconds only, so the page itself watches it.
    const said = page.evaluate(`new Promise((done) => {
      const texts = () => [...document.querySelectorAll("button")].map(({ textContent }) => textContent);
      const look = () => (texts().includes("Copied") ? done() : requestAnimationFrame(look));
      look();
    })`);
    await page.getByRole("button", { name: "Copy the key" }).click();
    await said;
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await key.textContent());
    await page.keyboard.press("Escape");
    await key.waitFor({ state: "detached" });
    await create.and(page.locator(":focus")).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/api-keys");
    expect(opened.complaints).toEqual([]);
  });

  it("are rotated: the new one works, and the old one until the end of its grace period", async () => {
    const old = await createKey(ui.stack, ["services:read"]);
    const { body } = await ui.stack.http.get<{ id: string }>("/api/api-keys/self", { key: old });
    await using opened = await ui.open();
    const { page } = opened;
    // A link to the one key.
    await page.goto(`/api-keys?key=${body.id}`);
    await page.getByRole("button", { name: "Rotate…" }).click();
    // An empty field is no grace period of 0, which would end the old key.
    const grace = page.getByLabel("Grace period for old key (hours)");
    await grace.fill("");
    await page.getByText("Enter a whole number from 0 to 720.").waitFor();
    expect(await page.getByRole("button", { name: "Rotate key" }).isDisabled()).toBe(true);
    await grace.pressSequentially("0");
    await page.getByRole("button", { name: "Rotate key" }).click();
    const rawKey = (await page.getByTestId("raw-key").textContent()) ?? "";
    expect(await statusOf(rawKey)).toBe(200);
    expect(await statusOf(old)).toBe(401);
    // The old key leads to the new one, and back.
    await page.getByRole("button", { name: "I've saved the key" }).click();
    const row = page.getByRole("row").filter({ hasText: "replaced by" });
    await row.getByText("expired", { exact: true }).waitFor();
    await row.getByRole("link", { name: rawKey.slice(0, 16) }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Replaces:").getByRole("link").click();
    await dialog
      .getByText("Replaced by:")
      .getByRole("link", { name: rawKey.slice(0, 16) })
      .waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("have limits, and the organization's usage beside them", async () => {
    await using opened = await ui.open({ context: { locale: "en-GB" } });
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("link", { name: "Limits" }).click();
    await page.getByRole("heading", { level: 1, name: "Limits and usage" }).waitFor();
    const factOf = (name: string) => page.locator("dt", { hasText: name }).locator("+ dd");
    await factOf("Endpoints").getByText("2,000").waitFor();
    await factOf("Size of the request").getByText("10 MiB").waitFor();
    const keys = await ui.stack.http.get<{ apiKeys: { status: string }[] }>(
      `/api/api-keys?limit=200&organizationId=${ui.stack.organizationId}`,
    );
    const active = keys.body.apiKeys.filter(({ status }) => status === "active").length;
    await factOf("Active API keys").getByText(String(active), { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are revoked after a confirmation", async () => {
    const key = await createKey(ui.stack, ["services:read"]);
    const { body } = await ui.stack.http.get<{ id: string; prefix: string }>("/api/api-keys/self", { key });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/api-keys");
    const row = page.getByRole("row").filter({ hasText: body.prefix });
    await row.getByRole("button", { name: /Details of/ }).click();
    await page.waitForURL(`**/api-keys?key=${body.id}`);
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Cancel" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Revoke…" }).and(page.locator(":focus")).waitFor();
    expect(await statusOf(key)).toBe(200);
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await row.getByText("revoked").waitFor();
    expect(await statusOf(key)).toBe(401);
    expect(opened.complaints).toEqual([]);
  });

  it("are bound to networks, disabled and enabled again", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("office");
    await page.getByLabel("Only from these networks").fill("127.0.0.1, 10.1.0.0/8");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").getByText("The network is 10.0.0.0/8").first().waitFor();
    await page.getByLabel("Only from these networks").fill("127.0.0.1, 10.0.0.0/8");
    await page.getByRole("button", { name: "Create key" }).click();
    const rawKey = (await page.getByTestId("raw-key").textContent()) ?? "";
    await page.getByRole("button", { name: "I've saved the key" }).click();
    const row = page.getByRole("row").filter({ hasText: rawKey.slice(0, 16) });
    await row.getByRole("button", { name: /Details of/ }).click();
    await page.getByText("Allowed networks: 127.0.0.1/32, 10.0.0.0/8").waitFor();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await page.getByRole("button", { name: "Enable", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Rotate…" }).isDisabled()).toBe(true);
    expect(await statusOf(rawKey)).toBe(401);
    await row.getByText("disabled").waitFor();
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    await page.getByRole("button", { name: "Disable", exact: true }).waitFor();
    expect(await statusOf(rawKey)).toBe(200);
    expect(opened.complaints).toEqual([]);
  });

  it("expire within the operator's maximum lifetime", async () => {
    await using limited = await startConsole({ apiEnv: { API_KEY_LIFETIME_DAYS_MAX: "60" } });
    await using opened = await limited.open();
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("as long as possible");
    const lifetime = page.getByRole("combobox", { name: "Expires after" });
    await expect.poll(() => lifetime.inputValue()).toBe("60 days");
    await lifetime.click();
    await expect.poll(() => page.getByRole("option").allTextContents()).toEqual(["30 days", "60 days"]);
    await page.getByRole("option", { name: "60 days" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByTestId("raw-key").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are revoked together with those that they created", async () => {
    const leaked = await createKey(ui.stack, ["api-keys:create", "services:read"]);
    const child = await makeKey(ui.stack, { scopes: ["services:read"] }, { key: leaked });
    const { body } = await ui.stack.http.get<{ id: string }>("/api/api-keys/self", { key: leaked });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/api-keys?key=${body.id}`);
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("checkbox", { name: "Also revoke the keys created with it" }).check();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("row").filter({ hasText: child.prefix }).getByText("revoked").waitFor();
    expect(await statusOf(leaked)).toBe(401);
    expect(await statusOf(child.rawKey)).toBe(401);
    expect(opened.complaints).toEqual([]);
  });

  it("can only be granted the caller's permissions, and the message names the missing ones", async () => {
    const scopes = ["api-keys:read", "api-keys:create", "services:read"].map((permission) => ({
      permission,
      ...(permission === "services:read" ? { resourceConstraints: { serviceNames: ["orders"] } } : {}),
    }));
    await using opened = await ui.open({ as: await createKey(ui.stack, scopes) });
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    // It has none of the presets.
    await expect.poll(() => page.getByRole("checkbox").count()).toBe(3);
    await page.getByLabel("Name").fill("too wide");
    await page.getByRole("checkbox", { name: "services:read" }).check();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("alert").getByText("can grant only permissions that it has").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: /Details of First key/ }).click();
    expect(await page.getByRole("button", { name: "Revoke…" }).isDisabled()).toBe(true);
    await page.getByText("Your key lacks a permission").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
