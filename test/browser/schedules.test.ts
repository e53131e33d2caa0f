import type { JourneySchedulePage } from "@waymark/shared/journey-schedules/schema.ts";
import { startConsole, type TestConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";

let ui: TestConsole;
let journeyId: string;
beforeAll(async () => {
  ui = await startConsole();
  journeyId = (await storeDocument(ui.stack, { path: "pay.journey.yaml", text: journeyText("Pay") })).id;
  await ui.stack.http.post("/api/environments", { name: "staging" });
}, 180_000);
afterAll(() => ui[Symbol.asyncDispose]());

const context = { reducedMotion: "reduce", timezoneId: "America/New_York" } as const;

async function schedules(): Promise<z.infer<typeof JourneySchedulePage>["schedules"]> {
  const path = `/api/journey-schedules?journeyId=${journeyId}`;
  return (await ui.stack.http.get<z.infer<typeof JourneySchedulePage>>(path)).body.schedules;
}

describe("a journey's schedules", () => {
  it("are created with an expression in words, and show their next five times in their zone", async () => {
    await using opened = await ui.open({ context });
    const { page } = opened;
    await page.goto(`/journeys/${journeyId}?tab=schedules`);
    await page.getByText("No schedule runs this journey.").waitFor();
    await page.getByRole("button", { name: "Create a schedule" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a schedule" });
    await dialog.getByText("Runs at 02:30, Monday to Friday, America/New_York.").waitFor();
    await dialog.getByLabel("Name").fill("nightly");
    await dialog.getByRole("combobox", { name: "Environment" }).click();
    await page.getByRole("option", { name: "staging" }).click();
    await dialog.getByRole("combobox", { name: "Time zone" }).fill("Berlin");
    await page.getByRole("option", { name: "Europe/Berlin" }).click();
    await dialog.getByLabel("When").fill("0 0 31 2 *");
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    await dialog.getByText("cron: never comes").waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await dialog.getByLabel("When").fill("30 2 * * *");
    await dialog.getByText("Runs at 02:30, every day, Europe/Berlin.").waitFor();
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    const schedule = page.getByRole("region", { name: "nightly" });
    await schedule.getByText("at 02:30, every day, Europe/Berlin (30 2 * * *)").waitFor();
    const times = await schedule.locator("time").allTextContents();
    expect(times).toHaveLength(5);
    for (const time of times) expect(time).toMatch(/0?2:30/);
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("show what became of their times, and are paused, resumed and removed", async () => {
    const [stored] = await schedules();
    const started = crypto.randomUUID();
    for (const [hour, outcome, runId, reason] of [
      [1, "started", started, null],
      [2, "skipped", null, "The run before had not ended."],
      [3, "missed", null, "No worker ran."],
      [4, "refused", null, "The secret TOKEN is missing."],
    ] as const) {
      await query(
        ui.stack,
        `INSERT INTO journey_schedule_ticks (organization_id, schedule_id, due_at, outcome, run_id, reason, decided_at)
         VALUES ($1, $2, date_trunc('hour', now()) - make_interval(hours => $3), $4, $5, $6, now())`,
        [ui.stack.organizationId, stored?.id, hour, outcome, runId, reason],
      );
    }
    await using opened = await ui.open({ context });
    const { page } = opened;
    await page.goto(`/journeys/${journeyId}?tab=schedules`);
    const schedule = page.getByRole("region", { name: "nightly" });
    await schedule.getByRole("cell", { name: "started" }).waitFor();
    expect(await schedule.getByRole("row").count()).toBe(2);
    await schedule.getByRole("button", { name: "Show earlier times" }).click();
    await schedule.getByRole("cell", { name: "refused The secret TOKEN is missing." }).waitFor();
    for (const outcome of ["skipped", "missed"])
      await schedule.getByRole("cell", { name: new RegExp(`^${outcome}`) }).waitFor();
    expect(await schedule.getByRole("link", { name: "Open the run" }).getAttribute("href")).toBe(
      `/journey-runs/${started}`,
    );
    expect(await violationsInBothSchemes(page)).toEqual([]);

    await schedule.getByRole("button", { name: "Pause nightly" }).click();
    await schedule.getByText("none while it is paused").waitFor();
    expect((await schedules()).map(({ enabled }) => enabled)).toEqual([false]);
    await schedule.getByRole("button", { name: "Resume nightly" }).click();
    await schedule.getByText("active", { exact: true }).waitFor();
    expect((await schedules()).map(({ enabled }) => enabled)).toEqual([true]);
    await schedule.getByRole("button", { name: "Remove nightly" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove schedule" }).click();
    await page.getByText("No schedule runs this journey.").waitFor();
    expect(await schedules()).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("say which permission a key lacks", async () => {
    const reader = await createKey(ui.stack, ["journeys:read"]);
    await using opened = await ui.open({ as: reader });
    const { page } = opened;
    await page.goto(`/journeys/${journeyId}?tab=schedules`);
    await page.getByText("Your key lacks journeys:schedule, so it can't change schedules.").waitFor();
    expect(await page.getByRole("button", { name: "Create a schedule" }).isDisabled()).toBe(true);
    expect(opened.complaints).toEqual([]);
  });
});
