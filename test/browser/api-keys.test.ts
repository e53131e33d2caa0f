import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { makeKey } from "@waymark/test-support/api-keys.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const statusOf = async (key: string) => (await ui.stack.http.get("/api/api-keys/self", { key })).status;

describe("API keys", () => {
  it("are created with a preset and a service, shown once with a job for the pipeline", async () => {
    await ui.scan(scanPayload({ serviceName: "orders" }));
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("orders pipeline");
    await page.getByText("The key expires on").waitFor();
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
    expect(await page.content()).not.toContain(rawKey);
    expect(opened.complaints).toEqual([]);
  });

  it("that were not copied are not lost by Escape, × or Back, and the focus returns", async () => {
    await using opened = await ui.open({ context: { viewport: { width: 360, height: 740 } } });
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
    // All of it is in sight.
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
    await page.getByRole("button", { name: "Copy the key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await key.textContent());
    await page.keyboard.press("Escape");
    await key.waitFor({ state: "detached" });
    await create.and(page.locator(":focus")).waitFor();
    expect(new URL(page.url()).pathname).toBe("/api-keys");
    expect(opened.complaints).toEqual([]);
  });

  it("are rotated: the new one works, the old one for as long as was said", async () => {
    const old = await createKey(ui.stack, ["services:read"]);
    const { body } = await ui.stack.http.get<{ id: string }>("/api/api-keys/self", { key: old });
    await using opened = await ui.open();
    const { page } = opened;
    // A link to the one key.
    await page.goto(`/api-keys?key=${body.id}`);
    await page.getByRole("button", { name: "Rotate…" }).click();
    await page.getByLabel("Grace period for old key (hours)").fill("0");
    await page.getByRole("button", { name: "Rotate key" }).click();
    const rawKey = (await page.getByTestId("raw-key").textContent()) ?? "";
    expect(await statusOf(rawKey)).toBe(200);
    expect(await statusOf(old)).toBe(401);
    expect(opened.complaints).toEqual([]);
  });

  it("are revoked after a second question", async () => {
    const key = await createKey(ui.stack, ["services:read"]);
    const { body } = await ui.stack.http.get<{ id: string; prefix: string }>("/api/api-keys/self", { key });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto("/api-keys");
    const row = page.getByRole("row").filter({ hasText: body.prefix });
    await row.getByRole("button", { name: /Details of/ }).click();
    expect(page.url()).toContain(`key=${body.id}`);
    await page.getByRole("button", { name: "Revoke…" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
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

  it("live no longer than the operator allows", async () => {
    await using limited = await startConsole({ apiEnv: { API_KEY_LIFETIME_DAYS_MAX: "60" } });
    await using opened = await limited.open();
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("as long as possible");
    const lifetime = page.getByRole("combobox", { name: "Expires after" });
    await vi.waitFor(async () => expect(await lifetime.inputValue()).toBe("60 days"));
    await lifetime.click();
    expect(await page.getByRole("option").allTextContents()).toEqual(["30 days", "60 days"]);
    await page.getByRole("option", { name: "60 days" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByTestId("raw-key").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are revoked together with those that they made", async () => {
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

  it("can only be handed what the caller holds, and say what it lacks", async () => {
    const scopes = ["api-keys:read", "api-keys:create", "services:read"].map((permission) => ({
      permission,
      ...(permission === "services:read" ? { resourceConstraints: { serviceNames: ["orders"] } } : {}),
    }));
    await using opened = await ui.open({ as: await createKey(ui.stack, scopes) });
    const { page } = opened;
    await page.goto("/api-keys");
    await page.getByRole("button", { name: "Create a key" }).click();
    expect(await page.getByRole("checkbox").evaluateAll((boxes) => boxes.length)).toBe(3);
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
