import { Anchor, Badge, Code, Group, List, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Select } from "../../lib/select.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import { isFinal } from "../run-status.tsx";
import { useJourneyRuns } from "../use-journeys.ts";
import { compareRuns, type StepChange } from "./compare-runs.ts";
import { describeStatus } from "./describe-status.ts";
import { showValue } from "./show-value.ts";
import type { RunStep } from "./step-result.ts";
import { useJourneyRun, useRunSteps } from "./use-journey-run.ts";
import { LOCALE } from "../../lib/locale.ts";

const WHEN = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" });

/** Shows the steps and the assertions that had another outcome in another run of the journey. */
export function RunComparison({ run, steps }: { run: JourneyRun; steps: readonly RunStep[] }) {
  const [against, setAgainst] = useUrlState("against");
  const runs = useJourneyRuns(run.journeyId);
  const others = (runs.data ?? []).filter((other) => other.id !== run.id && isFinal(other));
  const options = others.map((other) => ({ value: other.id, label: labelOf(other) }));
  // A link may refer to a run that is older than those that are loaded.
  if (against !== "" && !others.some((other) => other.id === against))
    options.push({ value: against, label: `Run ${against}` });
  return (
    <section aria-labelledby="comparison">
      <Title order={2} size="h3" id="comparison" mb="xs">
        Compare
      </Title>
      <Stack gap="sm">
        <Select
          label="Compare with another run"
          placeholder="Choose a run"
          data={options}
          value={against === "" ? null : against}
          onChange={(next) => setAgainst(next ?? "")}
          searchable={options.length > 10}
          clearable
          clearButtonProps={{ "aria-label": "Compare with none" }}
          nothingFoundMessage="No run matches this date, status or environment."
          w={420}
          maw="100%"
        />
        {against !== "" && <Comparison key={against} run={run} steps={steps} againstId={against} />}
      </Stack>
    </section>
  );
}

function labelOf({ createdAt, status, environmentName, version }: JourneyRun): string {
  return [WHEN.format(new Date(createdAt)), status, environmentName, `version ${version}`].join(" · ");
}

function Comparison(props: { run: JourneyRun; steps: readonly RunStep[]; againstId: string }) {
  const { run, steps, againstId } = props;
  const other = useJourneyRun(againstId);
  const otherSteps = useRunSteps(againstId);
  if (other.isLoadingError) return <ErrorAlert error={other.error} onRetry={() => void other.refetch()} />;
  if (otherSteps.isLoadingError)
    return <ErrorAlert error={otherSteps.error} onRetry={() => void otherSteps.refetch()} />;
  // Not before all of its steps are there.
  if (other.isPending || otherSteps.isPending || otherSteps.hasNextPage)
    return <Skeleton height={120} aria-label="Comparing" />;
  if (other.data.kept === "run" || run.kept === "run")
    return <Text role="status">The steps of one of these runs are no longer kept.</Text>;
  return <Changes run={run} other={other.data} changes={compareRuns(otherSteps.data, steps)} />;
}

function Changes({
  run,
  other,
  changes,
}: {
  run: JourneyRun;
  other: JourneyRun;
  changes: readonly StepChange[];
}) {
  return (
    <>
      <Text role="status">
        {changes.length === 0
          ? "Every step and assertion went as in "
          : `${countOf(changes.length, "steps")} went differently than in `}
        <Anchor component={Link} href={`/journey-runs/${other.id}`} underline="always">
          that run
        </Anchor>
        .
        {run.programId !== other.programId &&
          ` The runs had different programs: version ${other.version} there, version ${run.version} here.`}
        {run.environmentId !== other.environmentId &&
          ` That run was in ${other.environmentName}, this one in ${run.environmentName}.`}
      </Text>
      <List listStyleType="none" spacing="sm">
        {changes.map((change) => (
          <List.Item key={change.key} className="breaks">
            <Change name={<b>{change.name}</b>} before={change.before} after={change.after} />
            {change.assertions.map(({ id, condition, before, after, actual }) => (
              <div key={id}>
                <Change name={<Code>{condition}</Code>} before={before} after={after} />
                {actual !== undefined && (
                  <Text size="sm">
                    Actual: <Code>{showValue(actual)}</Code>
                  </Text>
                )}
              </div>
            ))}
          </List.Item>
        ))}
      </List>
    </>
  );
}

function Change(props: { name: ReactNode; before: string | undefined; after: string | undefined }) {
  const { name, before, after } = props;
  return (
    <Group gap={6}>
      {name} <StatusWord status={before} />
      <span role="img" aria-label="then">
        →
      </span>
      <StatusWord status={after} />
    </Group>
  );
}

function StatusWord({ status }: { status: string | undefined }) {
  const { word, color } = describeStatus(status);
  return <Badge color={color}>{word}</Badge>;
}
