import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const STILL = { context: { reducedMotion: "reduce" } } as const;
const PHONE = { context: { reducedMotion: "reduce", viewport: { width: 390, height: 844 } } } as const;

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("the personal menu", () => {
  it("says who is signed in, and is used and left with the keyboard", async () => {
    const vera = await storeUser(ui.stack, { displayName: "Vera Viewer", roles: ["viewer"] });
    await using opened = await ui.open({ ...STILL, as: vera.rawKey });
    const { page } = opened;
    await page.goto("/services");
    await page.getByRole("heading", { name: "Services", level: 1 }).waitFor();
    const opener = page.getByRole("button", { name: "Signed in to Acme as Vera Viewer" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const menu = page.locator("#personal-menu");
    await menu.getByText(`${vera.id}@example.com`).waitFor();
    expect(await menu.getByText("Acme", { exact: true }).isVisible()).toBe(true);
    expect(await menu.getByRole("link", { name: "My roles" }).count()).toBe(0);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden" });
    await opener.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "My keys", level: 1 }).waitFor();
    await menu.waitFor({ state: "hidden" });
    await opener.click();
    await menu.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Waymark" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("fits on a phone, and leads an administrator to the own roles", async () => {
    const ada = await storeUser(ui.stack, { displayName: "Ada".repeat(30) });
    await using opened = await ui.open({ ...PHONE, as: ada.rawKey });
    const { page } = opened;
    await page.goto("/services");
    await page.getByRole("button", { name: /^Signed in to Acme as Ada/ }).click();
    const menu = page.locator("#personal-menu");
    const signOut = menu.getByRole("button", { name: "Sign out" });
    expect(await signOut.isVisible()).toBe(true);
    expect(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await menu.getByRole("link", { name: "My roles" }).click();
    await page.getByRole("button", { name: "Take away administrator" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is not there for a key without a user, whose name is shown", async () => {
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/services");
    await page.getByRole("banner").getByText("First key", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    expect(await page.locator("#personal-menu").count()).toBe(0);
    await page.goto("/my-keys");
    await page.getByText("You are signed in with a key that belongs to no user.").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});

describe("my keys", () => {
  it("are created by a viewer with all that the roles allow, shown once, and revoked", async () => {
    const vera = await storeUser(ui.stack, { displayName: "Vera", roles: ["viewer"] });
    await using opened = await ui.open({ ...STILL, as: vera.rawKey });
    const { page } = opened;
    await page.goto("/my-keys");
    await page.getByText("current session").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a key" });
    await dialog.getByLabel(/^Name/).fill("my laptop");
    expect(await dialog.getByRole("radio", { name: "All that I may do" }).isChecked()).toBe(true);
    await dialog.getByText(/^Permissions: /).click();
    await dialog.getByRole("checkbox", { name: "services:read" }).waitFor();
    expect(await dialog.getByRole("checkbox", { name: "scans:create" }).count()).toBe(0);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create key" }).click();
    const rawKey = (await page.getByTestId("raw-key").textContent()) ?? "";
    await page.getByText("What you do with it is recorded in your name.").waitFor();
    await page.getByRole("button", { name: "I've saved the key" }).click();
    const status = async (path: string) => (await ui.stack.http.get(path, { key: rawKey })).status;
    expect(await status("/api/services")).toBe(200);
    expect(await status("/api/principals")).toBe(403);
    await page.getByRole("button", { name: "Revoke my laptop" }).click();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("button", { name: "Show 1 that ended" }).click();
    await page.getByRole("cell", { name: "revoked" }).waitFor();
    expect(await status("/api/services")).toBe(401);
    expect(opened.complaints).toEqual([]);
  });

  it("made by a limited key are limited like it, and revoking the key of the session signs out", async () => {
    const dev = await storeUser(ui.stack, { displayName: "Dev", roles: ["developer"] });
    const limited = {
      permission: "services:read",
      resourceConstraints: { serviceNames: ["payments-*"] },
    };
    const key = await createKey(ui.stack, [limited, { permission: "personal-keys:manage" }], {
      owner: dev.id,
    });
    await using opened = await ui.open({ ...PHONE, as: key });
    const { page } = opened;
    await page.goto("/my-keys?new=everything");
    const dialog = page.getByRole("dialog", { name: "Create a key" });
    await dialog.getByRole("checkbox", { name: "services:read" }).waitFor();
    expect(await dialog.getByRole("radio", { name: "All that I may do" }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page
      .getByRole("row")
      .filter({ hasText: "current session" })
      .getByRole("button", { name: /^Revoke/ })
      .click();
    await page.getByRole("dialog").getByText("you will be signed out").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("heading", { name: "Sign in to Waymark" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("of a user without a role are there all the same", async () => {
    const none = await storeUser(ui.stack, { displayName: "Nobody yet", roles: [] });
    await using opened = await ui.open({ ...STILL, as: none.rawKey });
    const { page } = opened;
    await page.goto("/my-keys");
    await page.getByText("current session").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
