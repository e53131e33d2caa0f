import { randomBytes } from "node:crypto";
import type { EnvironmentDetails } from "@waymark/shared/environments/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, overlayText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";

const STILL = { context: { reducedMotion: "reduce" } } as const;

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole({ apiEnv: { JOURNEY_KEYS: `k1:${randomBytes(32).toString("base64")}` } });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function createEnvironment(settings: { name: string } & Record<string, unknown>): Promise<string> {
  const { body, text } = await ui.stack.http.post<{ id: string }>("/api/environments", settings);
  if (body.id === undefined) throw new Error(text);
  return body.id;
}

async function readEnvironment(id: string): Promise<z.infer<typeof EnvironmentDetails>> {
  return (await ui.stack.http.get<z.infer<typeof EnvironmentDetails>>(`/api/environments/${id}`)).body;
}

const SECRET_INPUT = `${journeyText("Secretive")}    inputs: { properties: { token: { type: string } } }
    x-journey: { secrets: { token: { ref: env:TOKEN } } }
`;

describe("environments", () => {
  it("are created with a form that says what is wrong at the field, and opened from the list", async () => {
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto("/");
    await page.getByRole("link", { name: "Environments" }).click();
    await page.getByText("No environments yet.").waitFor();
    await page.getByRole("button", { name: "Create an environment" }).click();
    const dialog = page.getByRole("dialog", { name: "Create an environment" });
    await dialog.getByLabel("Name").fill("staging");
    await dialog.getByLabel("Servers").fill("https://orders.example.com");
    await dialog.getByLabel("Inputs").fill("{");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Line 1: write the source").waitFor();
    await dialog.getByText("This is not JSON").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByLabel("Servers").fill("orders=https://orders.example.com/v1");
    await dialog.getByLabel("Inputs").fill('{"customerId": "c-1"}');
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "staging" }).waitFor();
    await page.getByRole("definition").filter({ hasText: "orders: https://orders.example.com/v1" }).waitFor();
    await page.getByRole("definition").filter({ hasText: 'customerId: "c-1"' }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("link", { name: "Environments" }).first().click();
    await page.getByRole("link", { name: "staging" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("are changed, but not over a change that somebody else made meanwhile", async () => {
    const id = await createEnvironment({ name: "shared", servers: { a: "https://a.example" } });
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto(`/environments/${id}`);
    await page.getByRole("button", { name: "Change settings" }).click();
    await page.getByLabel("Servers").fill("b=https://b.example");
    const body = { name: "shared", servers: { c: "https://c.example" } };
    await ui.stack.http.request("PUT", `/api/environments/${id}`, { body, headers: { "if-match": '"1"' } });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The environment was changed").waitFor();
    expect((await readEnvironment(id)).servers).toEqual({ c: "https://c.example" });
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Change settings" }).click();
    await expect.poll(() => page.getByLabel("Servers").inputValue()).toBe("c=https://c.example");
    await page.getByLabel("Protected").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("only released versions run here").waitFor();
    expect(await readEnvironment(id)).toMatchObject({ protected: true, allowedHosts: ["c.example"] });
    expect(opened.complaints).toEqual([]);
  });

  it("get a secret that a run needs from the form for the run, which says whether it is set", async () => {
    const name = "needed";
    await createEnvironment({ name, servers: { a: "https://a.example" } });
    const { id } = await storeDocument(ui.stack, { path: "secretive.journey.yaml", text: SECRET_INPUT });
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto(`/journeys/${id}`);
    await page.getByRole("button", { name: "Run…" }).click();
    await page.getByRole("dialog").getByRole("combobox", { name: "Environment" }).click();
    await page.getByRole("option", { name }).click();
    await page.getByText(/token is the secret TOKEN, which the environment doesn't have yet/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const [other] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: "Set it in another tab" }).click(),
    ]);
    const dialog = other.getByRole("dialog", { name: "Set a secret" });
    expect(await dialog.getByLabel("Name").inputValue()).toBe("TOKEN");
    await dialog.getByLabel(/^Value/).fill(randomBytes(12).toString("hex"));
    await dialog.getByRole("button", { name: "Set the secret" }).click();
    await other.getByRole("row").filter({ hasText: "TOKEN" }).waitFor();
    await other.close();
    // A browser without windows doesn't say that the page is seen again.
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText(/token is the secret TOKEN, which the environment has/).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("have secrets that are set, replaced and deleted, and whose values no page shows", async () => {
    const id = await createEnvironment({ name: "secretive", servers: { a: "https://a.example" } });
    const values = [randomBytes(12).toString("hex"), randomBytes(12).toString("hex")] as const;
    await using opened = await ui.open(STILL);
    const { page } = opened;
    const received: Promise<string>[] = [];
    page.on("response", (response) => received.push(response.text().catch(() => "")));
    await page.goto(`/environments/${id}`);
    await page.getByRole("button", { name: "Set a secret" }).click();
    const dialog = page.getByRole("dialog");
    const value = dialog.getByLabel(/^Value/);
    await dialog.getByLabel("Name").fill("TOKEN");
    await value.fill("password");
    expect(await value.getAttribute("autocomplete")).toBe("off");
    await dialog.getByRole("button", { name: "Set the secret" }).click();
    await dialog.getByText("must not be a common word").waitFor();
    await expect.poll(() => value.inputValue()).toBe("");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await value.fill(values[0]);
    await dialog.getByRole("button", { name: "Set the secret" }).click();
    const row = page.getByRole("row").filter({ hasText: "TOKEN" });
    await row.getByText("version 1").waitFor();
    await row.getByText("a.example").waitFor();

    await row.getByRole("button", { name: "Replace TOKEN" }).click();
    await dialog.getByText("Replace TOKEN").waitFor();
    await expect.poll(() => value.inputValue()).toBe("");
    await value.fill(values[1]);
    await dialog.getByLabel("Sent only to").fill("pay.example,");
    await dialog.getByRole("button", { name: "Set the secret" }).click();
    await row.getByText("version 2").waitFor();
    await row.getByText("a.example, pay.example").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const seen = [await page.content(), ...(await Promise.all(received))].join();
    for (const secret of values) expect(seen).not.toContain(secret);

    await row.getByRole("button", { name: "Delete TOKEN" }).click();
    await dialog.getByRole("button", { name: "Delete secret" }).click();
    await page.getByText("No secrets yet.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("release versions of journeys if they are protected, and take them back", async () => {
    const journey = await storeDocument(ui.stack, { path: "pay.journey.yaml", text: journeyText("Pay") });
    const id = await createEnvironment({ name: "production", protected: true });
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto(`/environments/${id}`);
    await page.getByText("No journey is released").waitFor();
    await page.getByRole("combobox", { name: "Journey" }).click();
    await page.getByRole("option", { name: "pay.journey.yaml" }).click();
    await page.getByRole("cell", { name: "GET api.example/ping" }).waitFor();
    // A version that doesn't exist is refused in its field. The server is not asked for what is half typed.
    const previewed: (string | null)[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.includes("/releases/")) previewed.push(searchParams.get("version"));
    });
    const version = page.getByLabel("Version, up to 1");
    await version.press("End");
    await version.pressSequentially("000");
    await page.getByText("There is only version 1.").waitFor();
    expect(await page.getByRole("button", { name: "Release", exact: true }).count()).toBe(0);
    await version.fill("1");
    await page.getByRole("cell", { name: "GET api.example/ping" }).waitFor();
    expect(previewed.filter((asked) => asked !== "1")).toEqual([]);
    await page.getByRole("button", { name: "Release", exact: true }).click();
    await page.getByRole("cell", { name: "pay.journey.yaml", exact: true }).waitFor();
    expect((await readEnvironment(id)).releases).toMatchObject([{ journeyId: journey.id, version: 1 }]);
    expect(await violationsInBothSchemes(page)).toEqual([]);

    const { id: baseId } = journey;
    const variant = await storeDocument(ui.stack, {
      path: "pay.overlay.yaml",
      text: overlayText("pay-fast", "pay.journey.yaml"),
    });
    await ui.stack.http.request("PUT", `/api/environments/${id}/releases/${variant.id}`, {
      body: { version: 1 },
    });
    await storeDocument(ui.stack, {
      path: "pay.journey.yaml",
      text: journeyText("Pay").replace("get", "delete"),
      baseVersion: 1,
    });
    await page.reload();
    await page
      .getByText("can't run: pay.journey.yaml changed since the release. Compare, and release it again.")
      .waitFor();
    await page.getByRole("button", { name: "Compare pay.overlay.yaml with its release" }).click();
    await page.getByRole("cell", { name: "changed: method" }).waitFor();
    await page.getByRole("cell", { name: "DELETE api.example/ping" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Release", exact: true }).click();
    await page.getByText("This version is released, and nothing has changed since.").waitFor();
    expect((await readEnvironment(id)).releases.map(({ journeyId }) => journeyId).toSorted()).toEqual(
      [baseId, variant.id].toSorted(),
    );
    await ui.stack.http.request("DELETE", `/api/environments/${id}/releases/${variant.id}`);
    await page.reload();
    await page.getByRole("button", { name: "Take back the release of pay.journey.yaml" }).click();
    await page.getByText("No journey is released").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("are deleted after a question, and not while a schedule needs them", async () => {
    const id = await createEnvironment({ name: "short-lived", servers: { a: "https://a.example" } });
    const journey = await storeDocument(ui.stack, { path: "kept.journey.yaml", text: journeyText("Kept") });
    const schedule = { name: "nightly", journeyId: journey.id, environmentId: id, cron: "0 3 * * *" };
    const created = await ui.stack.http.post<{ id: string }>("/api/journey-schedules", schedule);
    await using opened = await ui.open(STILL);
    const { page } = opened;
    await page.goto(`/environments/${id}`);
    await page.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete short-lived?" });
    await dialog.waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete environment" }).click();
    await dialog.getByText("Runs or schedules need this environment").waitFor();
    await ui.stack.http.request("DELETE", `/api/journey-schedules/${created.body.id}`);
    await dialog.getByRole("button", { name: "Delete environment" }).click();
    await page.getByRole("heading", { name: "Environments" }).waitFor();
    await page.getByRole("table").waitFor();
    await page.getByRole("link", { name: "short-lived" }).waitFor({ state: "detached" });
    expect(opened.complaints).toEqual([]);
  });

  it("say which permission a key lacks, and show one of an environment that one", async () => {
    const id = await createEnvironment({ name: "read-only", servers: { a: "https://a.example" } });
    const reader = await createKey(ui.stack, [{ permission: "environments:read", environmentId: id }]);
    await using opened = await ui.open({ as: reader });
    const { page } = opened;
    await page.goto("/environments");
    await page.getByText("Your key lacks environments:write").waitFor();
    await page.getByText("Your key lacks secrets:write").waitFor();
    for (const name of ["Change settings", "Delete…", "Set a secret"])
      expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
    const stranger = await createKey(ui.stack, ["journeys:read"]);
    await using other = await ui.open({ as: stranger });
    await other.page.goto("/environments");
    await other.page.getByText("This API key lacks the permission environments:read").waitFor();
    expect([...opened.complaints, ...other.complaints]).toEqual([]);
  });
});
