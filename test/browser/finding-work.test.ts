import type { FindingComment } from "@waymark/shared/scans/finding-comments/schema.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { storeTeam, storeTeamMember, storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let ui: TestConsole;
let run: string;
let serviceId: string;
beforeAll(async () => {
  ui = await startConsole();
  const findings: NormalizedFinding[] = [
    { severity: "high", code: "no-auth", message: "Is open to everybody.", method: "GET", path: "/orders" },
  ];
  ({ scanRunId: run, serviceId } = await ui.scan({
    ...scanPayload({ serviceName: "orders", endpoints: 1 }),
    findings,
  }));
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

it("a developer assigns a finding to herself, comments on it, and finds it among hers", async () => {
  const ada = await storeUser(ui.stack, { displayName: "Ada", roles: ["developer"] });
  await using opened = await ui.open({ as: ada.rawKey, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}?tab=findings&finding=0`);
  const dialog = page.getByRole("dialog", { name: "Finding" });
  await dialog.getByText("Assigned to nobody").waitFor();
  await dialog.getByRole("button", { name: "Assign to me" }).click();
  await dialog.getByText("Assigned to Ada").waitFor();
  const comment = dialog.getByRole("textbox", { name: "Comment" });
  await comment.fill("<b>Looks</b> new,\nI ask.");
  await dialog.getByRole("button", { name: "Comment", exact: true }).click();
  await dialog.getByText("<b>Looks</b> new,").waitFor();
  await expect.poll(() => comment.inputValue()).toBe("");
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/findings");
  await page.getByText("Assigned to me: 1 finding", { exact: true }).click();
  await page.getByRole("row", { name: /Is open to everybody\. \(GET \/orders\) orders/ }).waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);

it("others read the comment and the assignment; only its author deletes a comment", async () => {
  const { body } = await ui.stack.http.get<{ finding: { fingerprint: string } }>(
    `/api/scan-runs/${run}/findings/0`,
  );
  const { fingerprint } = body.finding;
  const eve = await storeUser(ui.stack, { displayName: "Eve", roles: ["viewer"] });
  await using opened = await ui.open({ as: eve.rawKey, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}?tab=findings&finding=0`);
  const dialog = page.getByRole("dialog", { name: "Finding" });
  await dialog.getByText("Assigned to Ada").waitFor();
  await dialog.getByText("<b>Looks</b> new,").waitFor();
  expect(await dialog.getByRole("button", { name: /Assign|assignment|Comment|Delete/ }).count()).toBe(0);
  const bob = await storeUser(ui.stack, { displayName: "Bob", roles: ["developer"] });
  await using second = await ui.open({ as: bob.rawKey, context: { reducedMotion: "reduce" } });
  await second.page.goto(`/scan-runs/${run}?tab=findings&finding=0`);
  const his = second.page.getByRole("dialog", { name: "Finding" });
  await his.getByText("<b>Looks</b> new,").waitFor();
  expect(await his.getByRole("button", { name: "Delete this comment" }).count()).toBe(0);
  await his.getByRole("textbox", { name: "Comment" }).fill("Mine.");
  await his.getByRole("button", { name: "Comment", exact: true }).click();
  await his.getByRole("button", { name: "Delete this comment" }).click();
  await his.getByText("Mine.").waitFor({ state: "detached" });
  await his.getByRole("button", { name: "End the assignment" }).click();
  await his.getByText("Assigned to nobody").waitFor();
  const { body: left } = await ui.stack.http.get<{ comments: FindingComment[] }>(
    `/api/finding-comments?serviceId=${serviceId}&fingerprint=${fingerprint}`,
  );
  expect(left.comments).toMatchObject([{ author: { displayName: "Ada" } }]);
  expect([...opened.complaints, ...second.complaints]).toEqual([]);
}, 60_000);

it("a developer gives a finding to a team, whose members find it in their lists and by the filter", async () => {
  const teamId = await storeTeam(ui.stack, "payments");
  await storeTeam(ui.stack, "orders");
  const cleo = await storeUser(ui.stack, { displayName: "Cleo", roles: ["developer"] });
  await storeTeamMember(ui.stack, { teamId, principalId: cleo.id });
  await using opened = await ui.open({ as: cleo.rawKey, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}?tab=findings&finding=0`);
  const dialog = page.getByRole("dialog", { name: "Finding" });
  // Cleo may not list people, and gives it to teams only.
  await dialog.getByRole("combobox", { name: "Assign to" }).click();
  await expect
    .poll(() => page.getByRole("option").allTextContents())
    .toEqual(["orders (team)", "payments (team)"]);
  await page.getByRole("option", { name: "payments (team)" }).click();
  await dialog.getByText("Assigned to the team payments").waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/findings?assignee=me");
  await page.getByRole("status").getByText("1 finding", { exact: true }).waitFor();
  await page.getByRole("cell", { name: "payments" }).waitFor();
  await page.getByText("Assigned to me: 1 finding", { exact: true }).click();
  await page
    .getByRole("row", { name: /Is open to everybody\. \(GET \/orders\) orders .* payments/ })
    .waitFor();
  await page.getByRole("combobox", { name: "Assigned to" }).click();
  await page.getByRole("option", { name: "Nobody" }).click();
  await page.getByText("No finding matches these filters.").waitFor();
  expect(page.url()).toContain("assignee=none");
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
}, 60_000);

it("an administrator gives a finding to a person, by name", async () => {
  await using opened = await ui.open({ context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}?tab=findings&finding=0`);
  const dialog = page.getByRole("dialog", { name: "Finding" });
  const field = dialog.getByRole("combobox", { name: "Assign to" });
  await field.click();
  await field.fill("Eve");
  await page.getByRole("option", { name: /^Eve \(/ }).click();
  await dialog.getByText("Assigned to Eve").waitFor();
  expect(opened.complaints).toEqual([]);
}, 60_000);
