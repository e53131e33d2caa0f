import { openText, storedText } from "@waymark/test-support/build-mode.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, overlayText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

describe("the YAML view", () => {
  it("saves what is typed as a version, and every other byte as it was: line breaks, comments, spaces", async () => {
    const text = `# first  \r\n${journeyText("Bytes").replaceAll("\n", "\r\n")}# last\t\nlone\r\n`.replace(
      "lone",
      "# lone",
    );
    const { id } = await storeDocument(ui.stack, { path: "bytes.journey.yaml", text });
    await using opened = await ui.open();
    const { page } = opened;
    await openText(page, id);
    await page.keyboard.type("# typed\n");
    await page.getByText("Not saved. This browser keeps it as a draft.").waitFor();
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByLabel("Message").fill("A comment");
    await page.getByLabel("Changed lines").getByText("+ # typed").waitFor();
    await page.getByText("No other document refers to this one.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("As version 2", { exact: true }).waitFor();
    expect(await storedText(ui.stack, id)).toEqual({ version: 2, text: `${text}# typed\r\n` });
    expect(opened.complaints).toEqual([]);
  });

  it("undoes and redoes with the keyboard and with buttons, back to the first bytes", async () => {
    const { id } = await storeDocument(ui.stack, { path: "undo.journey.yaml", text: journeyText("Undo") });
    await using opened = await ui.open();
    const { page } = opened;
    const editor = await openText(page, id);
    await page.keyboard.type("# one\n# two");
    await page.keyboard.press("ControlOrMeta+z");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("As version 1", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Redo" }).click();
    await editor.click();
    await page.keyboard.press("ControlOrMeta+y");
    await editor.getByText("# two").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("shows the engine's problems while typing, and moves to their line", async () => {
    const { id } = await storeDocument(ui.stack, { path: "wrong.journey.yaml", text: journeyText("Wrong") });
    await using opened = await ui.open();
    const { page } = opened;
    await openText(page, id);
    await page.getByText("No problems.").waitFor();
    await page.keyboard.type("    dependsOn: [nothing]\n");
    const problems = page.getByRole("region", { name: "Problems" });
    await problems.getByRole("listitem").filter({ hasText: "nothing" }).waitFor();
    await page.locator(".cm-lintRange-error").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await problems.getByRole("button", { name: "Line 10" }).click();
    await page.locator(".cm-activeLine").getByText("dependsOn").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("offers names and keys while typing, and moves to where a name is declared", async () => {
    const outputs = "        outputs: { id: $response.body#/id }\n";
    const text = `${journeyText("Names")}${outputs}      - stepId: next\n        `;
    const { id } = await storeDocument(ui.stack, { path: "names.journey.yaml", text });
    await using opened = await ui.open();
    const { page } = opened;
    const editor = await openText(page, id);
    await page.keyboard.type("descr");
    await page.getByRole("option", { name: "description" }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.type("iption: of $");
    await page.getByRole("option", { name: "$steps.ping.outputs.", exact: true }).waitFor();
    // The list that is shown is another one as soon as the step is named.
    await page.keyboard.type("steps.ping.");
    await page.getByRole("option", { name: "$steps.ping.outputs.id" }).click();
    await editor.getByText("description: of $steps.ping.outputs.id").waitFor();
    await page.keyboard.press("F12");
    await page.locator(".cm-activeLine").filter({ hasText: "outputs: { id:" }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("says before saving what a change does to a variant", async () => {
    const base = { path: "base.journey.yaml", text: journeyText("Base") };
    const { id } = await storeDocument(ui.stack, base);
    await storeDocument(ui.stack, { path: "v.overlay.yaml", text: overlayText("v", base.path) });
    await using opened = await ui.open();
    const { page } = opened;
    const editor = await openText(page, id);
    await editor.getByText("ping").first().dblclick();
    await page.keyboard.type("pong");
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByText(/^v\.overlay\.yaml: can't run any more/).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await storedText(ui.stack, id)).version).toBe(1);
    expect(opened.complaints).toEqual([]);
  });

  it("is for reading only for keys that can't write", async () => {
    const { id } = await storeDocument(ui.stack, { path: "read.journey.yaml", text: journeyText("Read") });
    await using opened = await ui.open({ as: await createKey(ui.stack, ["journeys:read"]) });
    const { page } = opened;
    await openText(page, id);
    await page.keyboard.type("x");
    await page.getByText("Your API key lacks the permission journeys:write.").waitFor();
    expect(await page.getByRole("button", { name: "Save…" }).isDisabled()).toBe(true);
    await page.getByText("As version 1", { exact: true }).waitFor();
  });
});

it("CodeMirror is one file of less than 150 kB, which other pages don't load, and fits a phone", async () => {
  const { id } = await storeDocument(ui.stack, { path: "size.journey.yaml", text: journeyText("Size") });
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
  await using opened = await ui.open({ context: phone, isNew: true });
  const { page } = opened;
  const sizes = () =>
    page.evaluate<number[]>(
      `performance.getEntriesByType("resource").filter(({ name }) => /text-editor.*\\.js$/.test(name)).map((file) => file.transferSize)`,
    );
  await page.goto(`/journeys/${id}`);
  await page.getByText("No run yet.").waitFor();
  expect(await sizes()).toEqual([]);
  await openText(page, id);
  const [bytes = 0, ...others] = await sizes();
  expect(others).toEqual([]);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(150_000);
  expect(
    await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
  ).toBeLessThanOrEqual(0);
  expect(opened.complaints).toEqual([]);
});
