import { goToEnd, openText, storedText } from "@waymark/test-support/build-mode.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, sendChangeset, storeDocument } from "@waymark/test-support/journeys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("a draft", () => {
  it("is kept in the browser under its version, continued after a reload, and can be discarded", async () => {
    const { id } = await storeDocument(ui.stack, { path: "draft.journey.yaml", text: journeyText("Draft") });
    await using opened = await ui.open();
    const { page } = opened;
    await openText(page, id);
    await page.keyboard.type("# draft");
    await page.getByText("Not saved. This browser keeps it as a draft.").waitFor();
    await page.reload();
    await page.getByText("You continue with a draft").waitFor();
    await page.getByText("# draft").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Discard the draft" }).click();
    await page.getByText("As version 1", { exact: true }).waitFor();
    await page.reload();
    await page.getByText("As version 1", { exact: true }).waitFor();
    expect(await page.getByText("You continue with a draft").count()).toBe(0);
  });
});

describe("a version that somebody else saved meanwhile", () => {
  /** Two browsers change the same version, and the second one tries to save. */
  async function conflict(page: Page, path: string): Promise<string> {
    const text = journeyText("Conflict");
    const { id } = await storeDocument(ui.stack, { path, text });
    await openText(page, id);
    await page.keyboard.type("# mine\n");
    await using other = await ui.open();
    await openText(other.page, id);
    await other.page.keyboard.type("# theirs\n");
    await other.page.getByRole("button", { name: "Save…" }).click();
    await other.page.getByRole("button", { name: "Save", exact: true }).click();
    await other.page.getByText("As version 2", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByText("Version 2 is newer than yours").waitFor();
    await page.getByLabel("Their changed lines").getByText("+ # theirs").waitFor();
    await page.getByLabel("Your changed lines").getByText("+ # mine").waitFor();
    return id;
  }

  it("is not overwritten before its change was shown, and keeping the own text replaces it", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const id = await conflict(page, "mine.journey.yaml");
    expect((await storedText(ui.stack, id)).text).toBe(`${journeyText("Conflict")}# theirs\n`);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Keep my text" }).click();
    await page.getByLabel("Changed lines").getByText("- # theirs").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("As version 3", { exact: true }).waitFor();
    expect(await storedText(ui.stack, id)).toEqual({
      version: 3,
      text: `${journeyText("Conflict")}# mine\n`,
    });
    expect(opened.complaints).toEqual([]);
  });

  it("is merged with the own text by lines, with a choice where both changed the same ones", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const id = await conflict(page, "merged.journey.yaml");
    await page
      .getByRole("combobox", { name: "Lines that both changed, 1 of 1" })
      .selectOption("Theirs, then mine");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Merge both" }).click();
    await page.getByLabel("Changed lines").getByText("+ # mine").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("As version 3", { exact: true }).waitFor();
    expect((await storedText(ui.stack, id)).text).toBe(`${journeyText("Conflict")}# theirs\n# mine\n`);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Not saved. This browser keeps it as a draft.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("can be taken instead of the own text, which undo brings back", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    await conflict(page, "theirs.journey.yaml");
    await page.getByRole("button", { name: "Take version 2" }).click();
    await page.getByText("As version 2", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("# mine").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});

describe("a document that a repository owns", () => {
  it("is changed only after the user unlocks it for one version", async () => {
    const text = journeyText("Managed");
    const changes = [{ path: "managed.journey.yaml", text, baseVersion: null }];
    const sent = await sendChangeset(ui.stack, { managedBy: { repository: "acme/journeys" }, changes });
    const id = sent.body.documents[0]?.id ?? "";
    await using opened = await ui.open();
    const { page } = opened;
    await openText(page, id);
    await page.keyboard.type("# locked");
    await page.getByText("As version 1", { exact: true }).waitFor();
    await page.getByLabel(/^Change it here, for one version/).check();
    await goToEnd(page.getByRole("textbox", { name: /^Text of/ }));
    await page.keyboard.type("# unlocked");
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("As version 2", { exact: true }).waitFor();
    expect(await storedText(ui.stack, id)).toEqual({ version: 2, text: `${text}# unlocked` });
  });
});
