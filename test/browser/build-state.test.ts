import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { holdRequests } from "@waymark/test-support/hold-requests.ts";
import { journeyText, overlayText, sendChangeset, storeDocument } from "@waymark/test-support/journeys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** Types behind the last character of the text. */
async function type(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: /^Text of/ }).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(text);
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save…" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
}

it("a draft of a document that was archived stays, and is shown", async () => {
  const change = { path: "archived.journey.yaml", text: journeyText("Archived") };
  const { id } = await storeDocument(ui.stack, change);
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journeys/${id}/edit?view=yaml`);
  await type(page, "# my draft");
  await page.getByText("Not saved. This browser keeps it as a draft.").waitFor();
  await storeDocument(ui.stack, { ...change, text: null, baseVersion: 1 });
  // The first visit must not remove it, so that the second one has it too.
  for (let visits = 0; visits < 2; visits += 1) {
    await page.reload();
    await page.getByText("It is archived.").waitFor();
    await page.getByText("# my draft").waitFor();
  }
  expect(await page.getByRole("button", { name: "Save…" }).isDisabled()).toBe(true);
  expect(opened.complaints).toEqual([]);
});

it("a document of a repository is unlocked for one version", async () => {
  const changes = [{ path: "owned.journey.yaml", text: journeyText("Owned"), baseVersion: null }];
  const sent = await sendChangeset(ui.stack, { managedBy: { repository: "acme/journeys" }, changes });
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journeys/${sent.body.documents[0]?.id}/edit?view=yaml`);
  const unlock = page.getByLabel(/^Change it here, for one version/);
  await unlock.check();
  await type(page, "# unlocked");
  await save(page);
  await page.getByText("As version 2", { exact: true }).waitFor();
  await expect.poll(() => unlock.isChecked()).toBe(false);
  await page
    .getByRole("textbox", { name: /^Text of/ })
    .and(page.locator("[aria-readonly=true]"))
    .waitFor();
  expect(opened.complaints).toEqual([]);
});

it("the dialog can't be closed while a version is saved, which the text then is", async () => {
  const { id } = await storeDocument(ui.stack, { path: "slow.journey.yaml", text: journeyText("Slow") });
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journeys/${id}/edit?view=yaml`);
  await type(page, "# saved");
  const saves = await holdRequests(
    page,
    "**/api/journey-changesets",
    (request) => (request.postDataJSON() as { dryRun?: boolean }).dryRun !== true,
  );
  await save(page);
  await saves.begun;
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Cancel", disabled: true }).waitFor();
  await saves.letGo();
  await page.getByText("As version 2", { exact: true }).waitFor();
  expect(opened.complaints).toEqual([]);
});

it("a variant that is saved with another base shows the steps of that base", async () => {
  const first = { path: "first.journey.yaml", text: journeyText("First") };
  const second = {
    path: "second.journey.yaml",
    text: `${journeyText("Second")}      - { stepId: more, operationId: call }\n`,
  };
  for (const base of [first, second]) await storeDocument(ui.stack, base);
  const text = overlayText("moved", first.path);
  const { id } = await storeDocument(ui.stack, { path: "moved.overlay.yaml", text });
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journeys/${id}/edit?view=split`);
  const ids = page.getByRole("list", { name: "Steps of main" }).locator("> li b");
  await expect.poll(() => ids.allTextContents()).toEqual(["ping"]);
  await page.getByRole("textbox", { name: /^Text of/ }).click();
  // The third line says what it extends.
  for (const key of ["ControlOrMeta+Home", "ArrowDown", "ArrowDown", "End", "Shift+Home"])
    await page.keyboard.press(key);
  await page.keyboard.type(`extends: ${second.path}`);
  await page.getByText(/^The variant has another base now\. Save it/).waitFor();
  await save(page);
  await page.getByText("As version 2", { exact: true }).waitFor();
  await expect.poll(() => ids.allTextContents()).toEqual(["ping", "more"]);
  expect(opened.complaints).toEqual([]);
});

it("acceptance criteria and teardown steps are removed, the last one with its list, and the focus stays near", async () => {
  const first = "- { id: AC-1, text: It answers, severity: must, provenBy: [] }";
  const text = `${journeyText("Criteria")}    x-journey:
      teardown: [{ step: ping }]
      acceptanceCriteria:
        ${first}
        - { id: AC-2, text: It is fast, severity: could, provenBy: [] } # kept
`;
  const { id } = await storeDocument(ui.stack, { path: "criteria.journey.yaml", text });
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journeys/${id}/edit`);
  const focused = () => page.evaluate("document.activeElement.dataset.focus");
  await page.getByRole("button", { name: "Remove AC-1" }).click();
  await page.getByRole("button", { name: "Remove AC-1" }).waitFor({ state: "detached" });
  await expect.poll(focused).toBe("main new criterion");
  await page.getByRole("button", { name: "Remove ping from the teardown" }).click();
  await page.getByText("None: what the steps make stays.").waitFor();
  await expect.poll(focused).toBe("main new teardown");
  await page.getByRole("button", { name: "Remove AC-2" }).click();
  await page.getByRole("region", { name: "Acceptance criteria of main" }).getByText("None.").waitFor();
  await save(page);
  await page.getByText("As version 2", { exact: true }).waitFor();
  const stored = await ui.stack.http.get<{ text: string }>(`/api/journeys/${id}/versions/2`);
  expect(stored.body.text).toBe(journeyText("Criteria"));
  expect(opened.complaints).toEqual([]);
});

it("two steps with the same id are two cards", async () => {
  const text = `${journeyText("Twins")}      - { stepId: ping, operationId: other }\n      - { stepId: pong, operationId: last }\n`;
  const { id } = await storeDocument(ui.stack, { path: "twins.journey.yaml", text });
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto(`/journeys/${id}/edit?view=split`);
  const ids = page.getByRole("list", { name: "Steps of main" }).locator("> li b");
  await expect.poll(() => ids.allTextContents()).toEqual(["ping", "ping", "pong"]);
  await type(page, "      - { stepId: pong, operationId: again }\n");
  await expect.poll(() => ids.allTextContents()).toEqual(["ping", "ping", "pong", "pong"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => ids.allTextContents()).toEqual(["ping", "ping", "pong"]);
  expect(opened.complaints).toEqual([]);
});

it("a file that can't be read takes the place of the one that was chosen before", async () => {
  await using opened = await ui.open();
  const { page } = opened;
  await page.goto("/journeys/new?from=file");
  const input = page.getByLabel("File", { exact: true });
  const file = (name: string, bytes: Buffer) => ({ name, mimeType: "text/plain", buffer: bytes });
  const make = page.getByRole("button", { name: "Make it" });
  await input.setInputFiles(file("right.journey.yaml", Buffer.from(journeyText("Right"))));
  await expect.poll(() => make.isEnabled()).toBe(true);
  await input.setInputFiles(file("wrong.journey.yaml", Buffer.from([0xff, 0xfe, 0x00])));
  await page.getByText("wrong.journey.yaml is no text in UTF-8.").waitFor();
  await expect.poll(() => make.isDisabled()).toBe(true);
  expect(opened.complaints).toEqual([]);
});

it("a part that can't be loaded says so in its place, and the next try loads it", async () => {
  const { id } = await storeDocument(ui.stack, { path: "part.journey.yaml", text: journeyText("Part") });
  // A browser that has the file doesn't ask for it.
  await using opened = await ui.open({ isNew: true });
  const { page } = opened;
  const editors = "**/assets/text-editor-*.js";
  await page.route(editors, (route) => route.abort());
  await page.goto(`/journeys/${id}/edit?view=split&step=ping`);
  await page.getByText(/^The editor of the text could not be loaded\./).waitFor();
  // The rest of the page can be used.
  await page.getByLabel("Timeout in ms").fill("500");
  await page.keyboard.press("Enter");
  await page.getByText("Not saved. This browser keeps it as a draft.").waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.unroute(editors);
  await page.getByRole("button", { name: "Try again" }).click();
  await page
    .getByRole("textbox", { name: /^Text of/ })
    .getByText("timeout: 500")
    .waitFor();
  expect(opened.complaints).toEqual([]);
});
