import { goToEnd, storedText, TWO_STEPS } from "@waymark/test-support/build-mode.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

/** Presses Tab until the focus is on the element with this name. */
async function tabTo(page: Page, name: string, key = "Tab"): Promise<void> {
  const focused = `((element) => {
    const label = element.labels?.[0]?.textContent ?? element.ariaLabel ?? element.textContent;
    return label.trim();
  })(document.activeElement)`;
  for (let presses = 0; presses < 100; presses += 1) {
    await page.keyboard.press(key);
    if ((await page.evaluate<string>(focused)).startsWith(name)) return;
  }
  throw new Error(`Tab doesn't lead to ${name}`);
}

const EXPRESSIONS = TWO_STEPS.replace(
  "      - stepId: pong",
  "        outputs: { id: $response.body#/id }\n      - stepId: pong",
)
  .replace(
    "        successCriteria: [{ x-id: fine",
    '        parameters: [{ name: id, in: query, value: "" }]\n        successCriteria: [{ x-id: fine',
  )
  .replace("    steps:", "    inputs: { properties: { title: {} } }\n    steps:");

describe("the visual view", () => {
  it("can be used by keyboard alone: insert, set, move, undo, prove and save", async () => {
    const { id } = await storeDocument(ui.stack, { path: "keys.journey.yaml", text: TWO_STEPS });
    await using opened = await ui.open();
    const { page } = opened;
    const ids = page.getByRole("list", { name: "Steps of main" }).locator("> li b");
    const focused = page.locator(":focus");
    const card = (name: RegExp) => page.getByRole("button", { name });
    await page.goto(`/journeys/${id}/edit`);
    await ids.filter({ hasText: "pong" }).waitFor();
    await tabTo(page, "1ping");
    await page.keyboard.press("Enter");
    await tabTo(page, "Insert a step after it");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Step id").and(focused).waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("middle");
    await tabTo(page, "Operation id");
    await page.keyboard.type("readMiddle");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => ids.allTextContents()).toEqual(["ping", "middle", "pong"]);
    await tabTo(page, "Add an assertion");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("$statusCode == 200");
    await page.keyboard.type("$statusCode == 204");
    await page.keyboard.press("Enter");
    await tabTo(page, "2middle", "Shift+Tab");
    await page.keyboard.press("Alt+ArrowDown");
    await card(/^3 ?middle/)
      .and(focused)
      .waitFor();
    expect(await ids.allTextContents()).toEqual(["ping", "pong", "middle"]);
    await page.keyboard.press("Alt+ArrowUp");
    await card(/^2 ?middle/)
      .and(focused)
      .waitFor();
    expect(await ids.allTextContents()).toEqual(["ping", "middle", "pong"]);
    await page.keyboard.press("ControlOrMeta+z");
    await expect.poll(() => ids.allTextContents()).toEqual(["ping", "pong", "middle"]);
    await tabTo(page, "Save", "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByText("No other document refers to this one.").waitFor();
    await page.getByLabel("Message").and(focused).waitFor();
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Enter");
    await page.getByText("As version 2", { exact: true }).waitFor();
    expect((await storedText(ui.stack, id)).text).toBe(
      `${TWO_STEPS}      - stepId: middle
        operationId: readMiddle
        successCriteria:
          - condition: $statusCode == 204
`,
    );
    expect(opened.complaints).toEqual([]);
  });

  it("and the text are one: what one changes, the other shows, and undo takes back", async () => {
    const { id } = await storeDocument(ui.stack, { path: "both.journey.yaml", text: TWO_STEPS });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?view=split&step=pong`);
    const editor = page.getByRole("textbox", { name: /^Text of/ });
    await page.getByLabel("Step id").fill("pang");
    await page.keyboard.press("Enter");
    await editor.getByText("pang").first().waitFor();
    await page.getByRole("button", { name: "Add an acceptance criterion" }).click();
    await page.getByLabel("Proofs of AC-1").selectOption("Add pang#fine");
    await editor.getByText("pang#fine").waitFor();
    await page.getByText("proves AC-1").waitFor();
    // Its id and the proof that names it are one change.
    await page.getByRole("group", { name: "Assertions" }).getByLabel("Id").fill("good");
    await page.keyboard.press("Enter");
    await editor.getByText("pang#good").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const undo = page.getByRole("button", { name: "Undo" });
    for (let changes = 0; changes < 4; changes += 1) await undo.click();
    await page.getByText("As version 1", { exact: true }).waitFor();
    await page.getByRole("button", { name: /pong/ }).waitFor();
    await goToEnd(editor);
    await page.keyboard.type("      - stepId: typed\n        operationId: any");
    await page.getByRole("button", { name: /typed/ }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("opens the step in whose lines of the text the cursor is moved, which stays there", async () => {
    const more = Array.from({ length: 30 }, (_, n) => `      - { stepId: s${n}, operationId: call }\n`);
    const text = `${TWO_STEPS}${more.join("")}# the end\n`;
    const { id } = await storeDocument(ui.stack, { path: "cursor.journey.yaml", text });
    await using opened = await ui.open({ context: { viewport: { width: 1280, height: 700 } } });
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?view=split&step=ping`);
    const editor = page.getByRole("textbox", { name: /^Text of/ });
    await editor.locator(".cm-activeLine", { hasText: "stepId: ping" }).waitFor();
    await editor.getByText("url:").last().click();
    await page.waitForURL(/step=pong/);
    await page.getByRole("button", { name: /^2 ?pong/, expanded: true }).waitFor();
    // The line that was clicked, not that of the step's id.
    await editor.locator(".cm-activeLine", { hasText: "url:" }).waitFor();
    await page.keyboard.press("ControlOrMeta+End");
    await page.waitForURL(/step=s29/);
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(500);
    // The text stays where it is, below the header, while the steps scroll.
    const { y } = (await page.locator(".cm-editor").boundingBox()) ?? { y: 0 };
    expect(y).toBeGreaterThan(52);
    expect(y).toBeLessThan(80);
    expect(opened.complaints).toEqual([]);
  });

  it("makes every change that comes while what changes the steps still loads, in order", async () => {
    const { id } = await storeDocument(ui.stack, { path: "early.journey.yaml", text: TWO_STEPS });
    await using opened = await ui.open();
    const { page } = opened;
    const loading = Promise.withResolvers<void>();
    await page.route("**/assets/edit-document*", async (route) => {
      await loading.promise;
      await route.continue();
    });
    await page.goto(`/journeys/${id}/edit?step=pong`);
    await page.getByLabel("Timeout in ms").fill("500");
    await page.keyboard.press("Enter");
    await page.getByLabel("Description", { exact: true }).fill("Late");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Move up" }).click();
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByText("As version 1", { exact: true }).waitFor();
    loading.resolve();
    const ids = page.getByRole("list", { name: "Steps of main" }).locator("> li b");
    await expect.poll(() => ids.allTextContents()).toEqual(["pong", "pong-3", "pong-2", "ping"]);
    await page.getByRole("button", { name: "Save…" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("As version 2", { exact: true }).waitFor();
    const { text } = await storedText(ui.stack, id);
    expect(text.match(/timeout: 500\n +description: Late/g)).toHaveLength(1);
    expect(opened.complaints).toEqual([]);
  });

  it("offers in its fields the expressions of the step, by mouse and by keyboard, and writes them as by hand", async () => {
    const { id } = await storeDocument(ui.stack, { path: "expressions.journey.yaml", text: EXPRESSIONS });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?view=split&step=pong`);
    const text = page.getByRole("textbox", { name: /^Text of/ });
    const focused = page.locator(":focus");
    await page.getByRole("button", { name: "Pick an expression for Value" }).click();
    await page.getByRole("option", { name: "$inputs.title" }).waitFor();
    expect(await page.getByRole("option", { name: "$statusCode" }).count()).toBe(0);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole("option", { name: "$steps.ping.outputs.id" }).click();
    await text.getByText("$steps.ping.outputs.id").first().waitFor();
    await page.getByLabel("Value", { exact: true }).and(focused).waitFor();

    const condition = page.getByLabel("Condition", { exact: true });
    await condition.click();
    await page.keyboard.press("End");
    for (let letters = 0; letters < "200".length; letters += 1) await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: "$inputs.title" }).waitFor();
    await page.keyboard.type("$inputs.title");
    // The first option is the one that Enter chooses: it has what is typed as its whole name.
    await page
      .locator("[role=option][aria-selected=true]")
      .getByText("$inputs.title", { exact: true })
      .waitFor();
    await page.keyboard.press("Enter");
    await condition.and(focused).waitFor();
    await page.keyboard.type(" || true");
    await page.keyboard.press("Enter");
    await text.getByText("$statusCode == $inputs.title || true").waitFor();

    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: "$inputs.title" }).waitFor();
    await page.keyboard.press("Escape");
    await condition.and(focused).waitFor();
    expect(await condition.inputValue()).toBe("$statusCode == $inputs.title || true");
    expect(opened.complaints).toEqual([]);
  });

  it("draws jumps and repetitions beside the steps, which say the same in words", async () => {
    const jump = "onFailure: [{ name: back, type: goto, stepId: ping }]";
    const { id } = await storeDocument(ui.stack, {
      path: "jumps.journey.yaml",
      text: `${TWO_STEPS}        ${jump}\n        onSuccess: [{ name: done, type: end }]\n`,
    });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit`);
    const arcs = page.getByRole("list", { name: "Steps of main" }).locator("[data-shape]");
    await expect.poll(() => arcs.count()).toBe(2);
    await page.getByText("On failure: go to ping").waitFor();
    // One line: the part beside the first step ends where the part beside the second begins.
    const isOneLine = `(([upper, lower]) => upper.x === lower.x && Math.abs(upper.bottom - lower.top) < 2)(
      [...document.querySelectorAll("ol [data-shape]")].map((arc) => arc.getBoundingClientRect()))`;
    await expect.poll(() => page.evaluate(isOneLine)).toBe(true);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("folds open the steps of a workflow that a step calls, of this document and of another", async () => {
    await storeDocument(ui.stack, { path: "sub/login.journey.yaml", text: journeyText("Login") });
    const text = `${journeyText("Whole").replace(
      "sourceDescriptions: []",
      "sourceDescriptions: [{ name: login, url: ./login.journey.yaml, type: arazzo }]",
    )}      - { stepId: other, workflowId: $sourceDescriptions.login.main }
      - { stepId: own, workflowId: second }
  - workflowId: second
    steps:
      - { stepId: inner, workflowId: main }
`;
    const { id } = await storeDocument(ui.stack, { path: "sub/whole.journey.yaml", text });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit`);
    const card = (name: string) =>
      page
        .getByRole("list", { name: "Steps of main", exact: true })
        .locator("> li")
        .filter({ hasText: name });
    await card("other").getByText("Steps of workflow $sourceDescriptions.login.main").click();
    await card("other")
      .getByRole("list", { name: "Steps of workflow main" })
      .getByText("ping", { exact: true })
      .waitFor();
    await card("other").getByRole("link", { name: "sub/login.journey.yaml" }).waitFor();
    await card("own").getByText("Steps of workflow second").click();
    await card("own").getByText("Steps of workflow main").click();
    await card("own")
      .getByRole("list", { name: "Steps of workflow main" })
      .getByText("own")
      .first()
      .waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("says why a change is refused, and opens the text at its line", async () => {
    const { id } = await storeDocument(ui.stack, {
      path: "only.journey.yaml",
      text: journeyText("Only"),
    });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?step=ping`);
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("This is the workflow's only step; a workflow needs one.").waitFor();
    await page.locator(".cm-focused").waitFor();
    // At some positions the page's header hides a part of a field, which axe then finds too small.
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(scrollTo(0, 0)))))",
    );
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByText("As version 1", { exact: true }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("keeps what was typed in a field when the change is refused, until Escape or another try", async () => {
    const { id } = await storeDocument(ui.stack, { path: "taken.journey.yaml", text: TWO_STEPS });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?view=split&step=pong`);
    const field = page.getByLabel("Step id");
    // The text that a refusal opens takes the focus.
    const inText = page.getByRole("textbox", { name: /^Text of/ }).and(page.locator(":focus"));
    await page.getByRole("textbox", { name: /^Text of/ }).waitFor();
    await field.fill("ping");
    await page.keyboard.press("Enter");
    await page.getByText("There is already a step ping in this workflow.").waitFor();
    await page.getByText("Not changed. Escape brings back what the text has.").waitFor();
    await inText.waitFor();
    expect(await field.inputValue()).toBe("ping");
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await field.press("Escape");
    await expect.poll(() => field.inputValue()).toBe("pong");
    await field.fill("ping");
    await page.keyboard.press("Enter");
    await page.getByText("Not changed. Escape brings back what the text has.").waitFor();
    await inText.waitFor();
    await field.fill("pang");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^2 ?pang/ }).waitFor();
    await expect.poll(() => field.inputValue()).toBe("pang");
    expect(await page.getByText(/^Not changed/).count()).toBe(0);
    expect(opened.complaints).toEqual([]);
  });

  it("shows the last steps, and changes nothing, while the text can't be read", async () => {
    const { id } = await storeDocument(ui.stack, { path: "frozen.journey.yaml", text: TWO_STEPS });
    await using opened = await ui.open();
    const { page } = opened;
    await page.goto(`/journeys/${id}/edit?view=split&step=pong`);
    await goToEnd(page.getByRole("textbox", { name: /^Text of/ }));
    await page.keyboard.type("broken: [");
    await page.getByText("The text can't be read").waitFor();
    // Parts of the page that are inert have no role.
    await expect.poll(() => page.getByRole("button", { name: "Duplicate" }).count()).toBe(0);
    await page.locator("[inert]").getByText("pong").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("button", { name: /pong-2/ }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
