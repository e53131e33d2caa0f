import type { SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let ui: TestConsole;
beforeAll(async () => {
  ui = await startConsole();
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const rules = async () => (await ui.stack.http.get<SeverityPolicy>("/api/severity-policy")).body.rules;

it("an administrator sets, changes and removes the severity of a rule, and is told of somebody else's change", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/findings");
  await page.getByText("Severity policy: no rules").click();
  const form = page.getByRole("form", { name: "Add a rule to the severity policy" });
  await form.getByRole("textbox", { name: "Rule" }).fill("security-defined");
  await form.getByRole("combobox", { name: "Severity" }).selectOption("critical");
  await form.getByRole("button", { name: "Set" }).click();
  await page.getByText("Severity policy: 1 rule", { exact: true }).waitFor();
  expect(await rules()).toEqual([{ code: "security-defined", severity: "critical" }]);
  const severity = page.getByRole("combobox", { name: "Severity of security-defined" });
  await severity.selectOption("off");
  await expect.poll(rules).toEqual([{ code: "security-defined", severity: "off" }]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await ui.stack.http.request("PUT", "/api/severity-policy", {
    body: { rules: [{ code: "other", severity: "low" }] },
  });
  await severity.selectOption("low");
  await page.getByText("The policy was not changed").waitFor();
  await page.route("**/api/severity-policy", (route) =>
    route.request().method() === "PUT" ? route.abort() : route.continue(),
  );
  await form.getByRole("textbox", { name: "Rule" }).fill("typed-once");
  await form.getByRole("button", { name: "Set" }).click();
  await page.getByText("The policy was not changed").waitFor();
  await form.getByRole("button", { name: "Set" }).and(page.locator(":enabled")).waitFor();
  expect(await form.getByRole("textbox", { name: "Rule" }).inputValue()).toBe("typed-once");
  await page.unroute("**/api/severity-policy");
  await page.getByRole("button", { name: "Remove other from the policy" }).click();
  await page.getByText("Severity policy: no rules").waitFor();
  expect(await rules()).toEqual([]);
}, 60_000);

it("somebody without the permission reads the policy, and sees nothing if there is none", async () => {
  const key = await createKey(ui.stack, ["services:read", "endpoints:read"]);
  await using opened = await ui.open({ as: key, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto("/findings");
  await page.getByRole("heading", { name: "Findings" }).waitFor();
  await page.getByText("No findings in the current scans.").waitFor();
  // The policy may come after the findings.
  await page.waitForLoadState("networkidle");
  expect(await page.getByText("Severity policy").count()).toBe(0);
  await ui.stack.http.request("PUT", "/api/severity-policy", {
    body: { rules: [{ code: "other", severity: "low" }] },
  });
  await page.reload();
  await page.getByText("Severity policy: 1 rule", { exact: true }).click();
  await page.getByRole("cell", { name: "low" }).waitFor();
  expect(await page.getByRole("button", { name: /policy/ }).count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});
