import type { ScanRunComment } from "@waymark/shared/scans/run-comments/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { holdRequests } from "@waymark/test-support/hold-requests.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let ui: TestConsole;
let run: string;
beforeAll(async () => {
  ui = await startConsole();
  ({ scanRunId: run } = await ui.scan(scanPayload({ serviceName: "orders", endpoints: 2 })));
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

it("a developer comments on a change, changes and deletes it, with the keyboard and on a phone", async () => {
  const ada = await storeUser(ui.stack, { displayName: "Ada", roles: ["developer"] });
  await using opened = await ui.open({ as: ada.rawKey, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  const field = timeline.getByRole("textbox", { name: "Comment" });
  await field.fill("<b>Why</b> is that?\nSee https://a.example/x.");
  await timeline.getByRole("button", { name: "Comment", exact: true }).press("Enter");
  const comment = timeline.getByRole("listitem").filter({ hasText: "<b>Why</b> is that?" });
  await comment.getByText("Ada", { exact: true }).waitFor();
  const link = comment.getByRole("link", { name: "https://a.example/x", exact: true });
  expect(await link.getAttribute("rel")).toContain("noreferrer");
  await expect.poll(() => field.inputValue()).toBe("");
  const storing = await holdRequests(page, /\/comments$/, (request) => request.method() === "POST");
  await field.fill("One.");
  await timeline.getByRole("button", { name: "Comment", exact: true }).press("Enter");
  await storing.begun;
  await field.fill("Another one.");
  await storing.letGo();
  await timeline.getByRole("listitem").filter({ hasText: "One." }).waitFor();
  await expect
    .poll(() => timeline.getByRole("button", { name: "Comment", exact: true }).isEnabled())
    .toBe(true);
  expect(await field.inputValue()).toBe("Another one.");
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  await comment.getByRole("button", { name: "Edit this comment" }).press("Enter");
  const form = timeline.getByRole("form", { name: "Change your comment" });
  await form.getByRole("textbox", { name: "Comment" }).fill("Agreed.");
  await form.getByRole("button", { name: "Save" }).press("Enter");
  const changed = timeline.getByRole("listitem").filter({ hasText: "Agreed." });
  await changed.getByText("edited").waitFor();
  await changed.getByRole("button", { name: "Delete this comment" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Delete comment" }).press("Enter");
  await changed.waitFor({ state: "detached" });
  expect(opened.complaints).toEqual([]);
}, 90_000);

it("a link to a comment puts the focus there, and says if it is gone; others may only read", async () => {
  const path = `/api/scan-runs/${run}/comments`;
  for (let each = 0; each < 30; each++) await ui.stack.http.post(path, { text: `comment ${each}` });
  const { body } = await ui.stack.http.post<ScanRunComment>(path, { text: "This one." });
  const vi = await storeUser(ui.stack, { displayName: "Vi", roles: ["viewer"] });
  await using opened = await ui.open({ as: vi.rawKey, context: { reducedMotion: "reduce" } });
  const { page } = opened;
  await page.goto(`/scan-runs/${run}#comment-${body.id}`);
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("This one.").waitFor();
  await expect.poll(() => page.evaluate<string>("document.activeElement.id")).toBe(`comment-${body.id}`);
  const shown = timeline.getByRole("listitem").filter({ hasText: "This one." });
  expect(
    await shown.evaluate(
      (item: { getBoundingClientRect(): { top: number } }) => item.getBoundingClientRect().top,
    ),
  ).toBeLessThan(800);
  expect(await timeline.getByRole("button", { name: /comment/i }).count()).toBe(0);
  expect(await timeline.getByRole("textbox").count()).toBe(0);
  await timeline.getByRole("listitem").filter({ hasText: "comment 29" }).getByRole("link").click();
  await expect
    .poll(() => page.evaluate<string>("document.activeElement.textContent"))
    .toContain("comment 29");
  await ui.stack.http.request("DELETE", `${path}/${body.id}`);
  await page.goto("/services");
  await page.goto(`/scan-runs/${run}#comment-${body.id}`);
  await timeline.getByText("The link leads to a comment that no longer exists.").waitFor();
  expect(opened.complaints).toEqual([]);
}, 90_000);
