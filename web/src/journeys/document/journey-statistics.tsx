import { Group, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { JourneyStatistics } from "@waymark/shared/journey-runs/statistics/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { LOCALE } from "../../lib/locale.ts";
import { readQuery } from "../../lib/read-query.ts";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { Sparkline } from "../../lib/sparkline.tsx";
import { wholePercent } from "../../lib/whole-percent.ts";
import { journeyStatisticsQuery } from "../api-queries.ts";
import { describeMs } from "../run/describe-duration.ts";
import { describeFlaky, medianOf } from "./run-statistics.ts";

/** Says how the last runs of a journey went: how many passed, how long they took, and which steps are flaky. Nothing before two runs. */
export function RunStatistics({ journeyId, lastEnd }: { journeyId: string; lastEnd: string | null }) {
  const { data } = useQuery({
    ...readQuery(journeyStatisticsQuery(journeyId, lastEnd), JourneyStatistics),
    placeholderData: keepPreviousData,
  });
  if (data === undefined || data.runs.length < 2) return null;
  const { runs, steps } = data;
  const passed = runs.filter(({ status }) => status === "passed").length;
  const durations = runs.flatMap(({ ms }) => (ms === null ? [] : [Math.round(ms)])).toReversed();
  const median = medianOf(durations);
  const flaky = describeFlaky(steps);
  return (
    <section aria-label="How the last runs went">
      <Group gap="md">
        <Text size="sm">
          <b>
            {passed.toLocaleString(LOCALE)} of {countOf(runs.length, "runs")} passed
          </b>
          , {wholePercent(passed, runs.length)} %{flaky === "" ? "" : `; ${flaky}`}
        </Text>
        {median !== null && (
          <Group gap="xs">
            <Text size="sm">Takes {describeMs(median)}</Text>
            <Sparkline label="Milliseconds" values={durations} />
          </Group>
        )}
      </Group>
      {steps.length > 0 && (
        <details>
          <summary>Steps of these runs</summary>
          <ResponsiveTable aria-label="Steps of these runs">
            <thead>
              <tr>
                <th>Step</th>
                <th className="right">Passed</th>
                <th className="right">Flaky</th>
                <th className="right">Takes</th>
              </tr>
            </thead>
            <tbody>
              {steps.map(({ workflow, stepId, runCount, passedCount, flakyCount, medianMs }) => (
                <tr key={`${workflow ?? ""} ${stepId}`}>
                  <td data-wide className="breaks">
                    {workflow === null ? stepId : `${workflow}: ${stepId}`}
                  </td>
                  <td data-label="Passed" className="right">
                    {passedCount.toLocaleString(LOCALE)} of {runCount.toLocaleString(LOCALE)}
                  </td>
                  <td data-label="Flaky" className="right">
                    {flakyCount === 0 ? "never" : countOf(flakyCount, "times")}
                  </td>
                  <td data-label="Takes" className="right">
                    {describeMs(medianMs)}
                  </td>
                </tr>
              ))}
            </tbody>
          </ResponsiveTable>
          <Text size="xs" c="dimmed" mt={4}>
            Flaky: it failed or timed out, and passed in the next run of the same program, environment and
            inputs. Times are medians.
          </Text>
        </details>
      )}
    </section>
  );
}
