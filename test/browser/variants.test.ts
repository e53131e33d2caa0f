import type { DocumentText, JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, overlayText, storeDocument } from "@waymark/test-support/journeys.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

async function storedText(id: string): Promise<string> {
  const { body } = await ui.stack.http.get<JourneyDocumentDetail>(`/api/journeys/${id}`);
  const address = `/api/journeys/${id}/versions/${body.headVersion}`;
  return (await ui.stack.http.get<z.infer<typeof DocumentText>>(address)).body.text;
}

/** A base of two steps, and a variant that changes one field of it. */
async function storePair(name: string): Promise<{ baseId: string; id: string; text: string }> {
  const base = `# ${name}\n${journeyText(name)}      - stepId: pong
        x-operation: { url: "https://api.example/pong", method: get }
        successCriteria: [{ x-id: fine, condition: $statusCode == 200 }]
`;
  const stored = await storeDocument(ui.stack, { path: `${name}.journey.yaml`, text: base });
  const text = `${overlayText(name, `${name}.journey.yaml`)}# the end\n`;
  const { id } = await storeDocument(ui.stack, { path: `${name}.overlay.yaml`, text });
  return { baseId: stored.id, id, text };
}

describe("a variant", () => {
  it("shows what it inherits, changes and adds; a change becomes an action, and a reset takes exactly it away", async () => {
    const { baseId, id, text } = await storePair("fields");
    const base = await storedText(baseId);
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?view=split&step=ping`);
    const card = (name: string) =>
      page.getByRole("list", { name: "Steps of main" }).locator("> li").filter({ hasText: name });
    await card("ping").getByText("changed", { exact: true }).first().waitFor();
    await card("pong").getByText("inherited", { exact: true }).waitFor();
    await page.getByLabel("Condition", { exact: true }).fill("$statusCode == 204");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Reset Condition" }).waitFor();
    const editor = page.getByRole("textbox", { name: /^Text of/ });
    await editor.getByText("$statusCode == 204").waitFor();
    await card("ping").getByRole("button", { name: "Duplicate" }).click();
    await card("ping-2").getByText("added", { exact: true }).first().waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await card("ping").getByRole("button", { name: /ping/ }).first().click();
    await page.getByRole("button", { name: "Reset Condition" }).click();
    await page.getByText("As version 1", { exact: true }).waitFor();

    await card("ping").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("removed", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Bring back" }).click();
    await card("ping").waitFor();
    await page.getByRole("button", { name: "Reset Timeout in ms" }).waitFor();
    expect(await storedText(id)).toBe(text);
    expect(await storedText(baseId)).toBe(base);
    expect(opened.complaints).toEqual([]);
  });

  it("has a composed text, and a difference from its base, which follow its own text", async () => {
    const { id } = await storePair("views");
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit`);
    await page.getByRole("button", { name: "Composed" }).click();
    await page.getByLabel("Composed text").getByText("timeout: 1000").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Difference" }).click();
    await page
      .getByLabel("Changed lines of the journey")
      .getByText(/^\+ +timeout: 1000/)
      .waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "YAML" }).click();
    const editor = page.getByRole("textbox", { name: /^Text of/ });
    await editor.click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("  - { target: $.info, update: { summary: typed } }");
    await page.getByRole("button", { name: "Composed" }).click();
    await page.getByLabel("Composed text").getByText("summary: typed").waitFor();
    await page.getByRole("button", { name: "Visual" }).click();
    await page.getByRole("button", { name: /ping/ }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("whose base is not stored says so, and its text can be changed", async () => {
    const text = overlayText("lost", "nowhere.journey.yaml");
    const { id } = await storeDocument(ui.stack, { path: "lost.overlay.yaml", text });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?view=split`);
    await page.getByText(/^nowhere\.journey\.yaml is not stored here/).waitFor();
    await page.getByRole("textbox", { name: /^Text of/ }).click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("# typed");
    await page.getByText("Not saved. This browser keeps it as a draft.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("and its schedules are named before its base is saved, if that changes them", async () => {
    const { baseId, id } = await storePair("scheduled");
    const environment = await ui.stack.http.post<{ id: string }>("/api/environments", { name: "nights" });
    const schedule = { environmentId: environment.body.id, cron: "30 2 * * *", timeZone: "UTC" };
    for (const [name, journeyId] of [
      ["of the base", baseId],
      ["of the variant", id],
    ])
      await ui.stack.http.post("/api/journey-schedules", { ...schedule, name, journeyId });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${baseId}/edit?step=ping`);
    await page.getByLabel("Step id").fill("pang");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save…" }).click();
    const effects = page.getByRole("region", { name: "What else changes" });
    await effects.getByText(/^scheduled\.overlay\.yaml: can't run any more/).waitFor();
    await effects.getByText("of the base runs scheduled.journey.yaml in nights", { exact: true }).waitFor();
    await effects
      .getByText("of the variant runs scheduled.overlay.yaml in nights, which can't run then")
      .waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});
