import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function linkFor(email: string): Promise<string> {
  const body = { email, roles: [{ role: "viewer" }] };
  return (await ui.stack.http.post<{ url: string }>("/api/invitations", body)).body.url;
}

it("a link is accepted by a button, shows the key once, signs the person in, and leaves the address", async () => {
  const url = await linkFor("ada@example.com");
  // Opening it, as previews do, uses nothing up.
  for (let i = 0; i < 2; i++) {
    await using preview = await ui.open({ as: null });
    await preview.page.goto(url);
    await preview.page.getByRole("heading", { name: "You are invited to Waymark" }).waitFor();
  }
  await using opened = await ui.open({ as: null });
  const { page } = opened;
  await page.goto(url);
  await page.getByLabel("Your name").fill("Ada Lovelace");
  expect(page.url()).not.toContain("wmi_");
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  const key = page.getByTestId("raw-key");
  expect(await key.textContent()).toMatch(/^wmk_/);
  await page.getByRole("button", { name: "I've saved the key" }).click();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  await page.getByText("Ada Lovelace").first().waitFor();
  const stored = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage, history.state])");
  expect(stored).not.toMatch(/wm[ki]_/);
  expect(opened.complaints).toEqual([]);
});

it("a used link says so, and a browser that is signed in can go on as it was", async () => {
  const url = await linkFor("bob@example.com");
  const body = { token: url.split("=").at(-1), displayName: "Bob" };
  await ui.stack.http.post("/api/invitation-acceptances", body, { key: null });
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto("/services");
  await page.getByRole("heading", { name: "Services", exact: true }).waitFor();
  await page.goto(url);
  await page.getByLabel("Your name").fill("Eve");
  await page.getByRole("button", { name: "Accept the invitation" }).click();
  await page.getByRole("alert").getByText("This invitation can't be used").waitFor();
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  expect(await page.getByText("Eve", { exact: true }).count()).toBe(0);
});
