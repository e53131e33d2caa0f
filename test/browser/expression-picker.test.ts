import { storedText, TWO_STEPS } from "@waymark/test-support/build-mode.ts";
import { startConsole, type TestConsole } from "@waymark/test-support/console.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const TEXT = TWO_STEPS.replace(
  "    steps:",
  "    inputs: { properties: { title: {}, titles: {} } }\n    steps:",
).replace(
  "        successCriteria: [{ x-id: fine",
  '        parameters: [{ name: id, in: query, value: "" }]\n        successCriteria: [{ x-id: fine',
);

/** Opens the form of a step with a parameter that has an empty value. */
async function openForm(page: Page, name: string) {
  const { id } = await storeDocument(ui.stack, { path: `${name}.journey.yaml`, text: TEXT });
  await page.goto(`/journeys/${id}/edit?view=split&step=pong`);
  const form = {
    id,
    value: page.getByLabel("Value", { exact: true }),
    condition: page.getByLabel("Condition", { exact: true }),
    text: page.getByRole("textbox", { name: /^Text of/ }),
    options: page.getByRole("listbox").getByRole("option"),
    open: async (field = "Value") => {
      await page.getByRole("button", { name: `Pick an expression for ${field}` }).click();
      await form.options.first().waitFor();
    },
  };
  await form.text.waitFor();
  return form;
}

describe("a field whose list of expressions is open", () => {
  it("keeps what is typed in it when Tab or a click leaves it, also if no expression matches", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const { value, text, options, open } = await openForm(page, "tab");
    await open();
    await page.keyboard.type("$inputs.ti");
    await page.keyboard.press("Tab");
    // Nobody chose $inputs.title, which is highlighted for Enter.
    await text.getByText('"$inputs.ti"').waitFor();
    expect(await options.count()).toBe(0);
    await open();
    await page.keyboard.type("Bearer 1");
    await page.getByText("No expression matches.").waitFor();
    await page.keyboard.press("Shift+Tab");
    await text.getByText('"Bearer 1"').waitFor();
    await open();
    await page.keyboard.insertText("$inputs.pasted");
    await page.getByRole("heading", { name: "Teardown" }).click();
    await text.getByText('"$inputs.pasted"').waitFor();
    await expect.poll(() => value.inputValue()).toBe("$inputs.pasted");
    // Nothing is typed, so nothing is highlighted for Enter.
    await open();
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Enter");
    await text.getByText('""').waitFor();
    expect(await value.inputValue()).toBe("");
    expect(opened.complaints).toEqual([]);
  });

  it("takes with Tab the expression to which the arrow keys led, and leaves", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const { value, condition, text, options, open } = await openForm(page, "chosen");
    await open();
    await page.keyboard.type("title");
    await page.keyboard.press("ArrowDown");
    await options.and(page.locator("[aria-selected=true]")).getByText("$inputs.titles").waitFor();
    await page.keyboard.press("Tab");
    await text.getByText('"$inputs.titles"').waitFor();
    expect(await value.and(page.locator(":focus")).count()).toBe(0);
    await condition.click();
    await page.keyboard.press("End");
    await page.keyboard.type(" && ");
    await open("Condition");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Tab");
    await text.getByText("$statusCode == 200 && $fn.requestBody()").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("sends nothing when the list opens or closes, and keeps the text at Escape until the next one", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const { condition, text, options, open } = await openForm(page, "escape");
    await condition.click();
    await page.keyboard.press("End");
    await page.keyboard.type(" && $inputs.titl");
    await open("Condition");
    await page.keyboard.press("Escape");
    await expect.poll(() => options.count()).toBe(0);
    await condition.and(page.locator(":focus")).waitFor();
    expect(await condition.inputValue()).toBe("$statusCode == 200 && $inputs.titl");
    expect(await text.getByText("$inputs.titl").count()).toBe(0);
    await page.keyboard.press("Escape");
    await expect.poll(() => condition.inputValue()).toBe("$statusCode == 200");
    expect(opened.complaints).toEqual([]);
  });

  it("is saved with what is typed in it", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const { id, condition, text, open } = await openForm(page, "saved");
    // Until the text differs from what is stored, it can't be saved.
    await condition.fill("$statusCode == 201");
    await page.keyboard.press("Enter");
    await text.getByText("$statusCode == 201").waitFor();
    await open();
    await page.keyboard.type("$inputs.title-2");
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("As version 2", { exact: true }).waitFor();
    expect((await storedText(ui.stack, id)).text).toContain('value: "$inputs.title-2" }');
    expect(opened.complaints).toEqual([]);
  });

  it("leaves Enter and Escape to an input method until its word is complete", async () => {
    await using opened = await ui.open();
    const { page } = opened;
    const { value, text, open } = await openForm(page, "composed");
    const session = await page.context().newCDPSession(page);
    const press = (key: string) => value.dispatchEvent("keydown", { key, isComposing: true });
    await open();
    await session.send("Input.imeSetComposition", { text: "タイトル", selectionStart: 4, selectionEnd: 4 });
    await press("Enter");
    await press("Escape");
    expect(await value.inputValue()).toBe("タイトル");
    expect(await text.getByText("タイトル").count()).toBe(0);
    await page.getByText("No expression matches.").waitFor();
    await session.send("Input.insertText", { text: "タイトル" });
    await page.keyboard.press("Tab");
    await text.getByText('"タイトル"').waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
