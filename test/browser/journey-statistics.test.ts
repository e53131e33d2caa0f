import { expect, it } from "vitest";
import { startConsole, violationsInBothSchemes } from "@waymark/test-support/console.ts";
import { journeyText, storeDocument } from "@waymark/test-support/journeys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { addEndedRuns } from "@waymark/test-support/stored-journeys.ts";

it("a journey's page says how its last runs went, and which step is flaky", async () => {
  await using ui = await startConsole();
  const { http } = ui.stack;
  const environment = await http.post<{ id: string }>("/api/environments", { name: "test" });
  const { id: journeyId } = await storeDocument(ui.stack, {
    path: "a.journey.yaml",
    text: journeyText("Orders"),
  });
  const runs = { journeyId, environmentId: environment.body.id };
  await addEndedRuns(ui.stack, { ...runs, statuses: ["passed"], daysAgo: 1 });
  await using opened = await ui.open({ context: { viewport: { width: 390, height: 844 } } });
  const { page } = opened;
  const section = page.getByRole("region", { name: "How the last runs went" });
  await page.goto(`/journeys/${journeyId}`);
  await page.getByRole("row").nth(1).waitFor();
  // One run says nothing about the next.
  expect(await section.count()).toBe(0);
  await addEndedRuns(ui.stack, { ...runs, statuses: ["failed", "passed"] });
  await query(
    ui.stack,
    `INSERT INTO journey_run_steps (organization_id, run_id, seq, attempt, step_id, phase, status, ms, result)
     SELECT r.organization_id, r.id, s.n, 1, s.id, 'main', CASE s.id WHEN 'read' THEN 'passed' ELSE r.status END, 40, '{}'
     FROM journey_runs r, unnest(ARRAY['read', 'write']) WITH ORDINALITY s (id, n) WHERE r.document_id = $1`,
    [journeyId],
  );
  await page.reload();
  await section.getByText("2 of 3 runs passed, 66 %; flaky: write").waitFor();
  await section.getByText("Steps of these runs").click();
  const write = section.getByRole("row").filter({ hasText: "write" });
  await write.getByText("2 of 3", { exact: true }).waitFor();
  await write.getByText("1 time", { exact: true }).waitFor();
  await write.getByText("40 ms", { exact: true }).waitFor();
  await section.getByRole("row").filter({ hasText: "read" }).getByText("never", { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
}, 120_000);
