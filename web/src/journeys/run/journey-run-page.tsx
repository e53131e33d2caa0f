import { Alert, Anchor, Badge, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { JourneyRun, JourneyRunDetail } from "@waymark/shared/journey-runs/schema.ts";
import { Link } from "wouter";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Time } from "../../lib/time.tsx";
import { RunLinks } from "../links/run-links.tsx";
import { ShareRun } from "../links/share-run.tsx";
import { isFinal, RunStatusBadge } from "../run-status.tsx";
import { AcceptanceCriteria } from "./acceptance-criteria.tsx";
import { describeDuration } from "./describe-duration.ts";
import { RunActions } from "./run-actions.tsx";
import { RunComparison } from "./run-comparison.tsx";
import { RunFacts } from "./run-facts.tsx";
import { StepList } from "./step-list.tsx";
import { isWrong, type RunResult, type RunStep } from "./step-result.ts";
import { whatFailed } from "./what-failed.ts";
import { useJourneyRun, useRunResult, useRunSteps } from "./use-journey-run.ts";

export default function JourneyRunPage({ runId }: { runId: string }) {
  const run = useJourneyRun(runId);
  if (run.isPending) return <Skeleton height={640} aria-label="Loading the run" />;
  if (run.isLoadingError) return <ErrorAlert error={run.error} onRetry={() => void run.refetch()} />;
  return <LoadedRun run={run.data} />;
}

function LoadedRun({ run }: { run: JourneyRunDetail }) {
  return (
    <Stack gap="lg">
      <title>{`${run.journeyTitle ?? run.journeyPath} · run · Waymark`}</title>
      <Head run={run} />
      <Ending run={run} />
      {run.flakyWith !== null && <Flaky run={run} otherId={run.flakyWith} />}
      <Group gap="xs">
        <RunActions run={run} />
        <ShareRun run={run} />
      </Group>
      <Course run={run} />
    </Stack>
  );
}

/** The outcome and the steps. They are shown when all of them are loaded, so that nothing moves. */
function Course({ run }: { run: JourneyRun }) {
  const steps = useRunSteps(run.id);
  const result = useRunResult(run);
  if (steps.isPending || (isFinal(run) && result.isPending))
    return <Skeleton height={480} aria-label="Loading the steps" />;
  return (
    <>
      <Failed run={run} steps={steps.data ?? []} />
      {result.data !== undefined && <Outcome result={result.data} steps={steps.data ?? []} />}
      <section aria-labelledby="steps">
        <Title order={2} size="h3" id="steps" mb="xs">
          Steps
        </Title>
        {steps.isLoadingError ? (
          <ErrorAlert error={steps.error} onRetry={() => void steps.refetch()} />
        ) : (
          <StepList run={run} steps={steps.data} />
        )}
      </section>
      {isFinal(run) && steps.data !== undefined && <RunComparison run={run} steps={steps.data} />}
      <RunFacts run={run} />
      <RunLinks run={run} />
    </>
  );
}

/** Says which step failed first, and why. */
function Failed({ run, steps }: { run: JourneyRun; steps: readonly RunStep[] }) {
  const failure = whatFailed(steps);
  if (failure === undefined) return null;
  const { seq, number, stepId, why } = failure;
  return (
    <Alert color="red" title={`Failed at step ${number}, ${stepId}`} role="alert">
      {why !== undefined && <span className="breaks">{why}. </span>}
      <Anchor component={Link} href={`/journey-runs/${run.id}?step=${seq}`} underline="always">
        Show the step
      </Anchor>
    </Alert>
  );
}

function Head({ run }: { run: JourneyRun }) {
  return (
    <div>
      <Breadcrumbs
        steps={[
          { href: "/journeys", label: "Journeys" },
          { href: `/journeys/${run.journeyId}`, label: run.journeyPath },
        ]}
      />
      <Group gap="sm">
        <Title order={1} className="breaks">
          {run.journeyTitle ?? run.journeyPath}
        </Title>
        <span aria-live="polite">
          <RunStatusBadge status={run.status} size="lg" />
        </span>
        {run.origin === "uploaded" && (
          <Badge color="gray.7" size="lg" title="A claim of who uploaded it: it did not run here">
            uploaded
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        Run in {run.environmentName}, <Time at={run.createdAt} />
        {isFinal(run) && `, took ${describeDuration(run)}`}
      </Text>
    </div>
  );
}

/** The progress of a run, or the reason why it did not pass. */
function Ending({ run }: { run: JourneyRun }) {
  if (run.status === "queued") return <Text role="status">Waiting for a worker…</Text>;
  if (run.status === "running")
    return (
      <Text role="status">
        {run.phase === "recovery" && "Its worker was lost; the teardown runs. "}
        {run.currentStep === null ? "Running…" : `Running ${run.currentStep}…`}
      </Text>
    );
  return (
    <>
      {run.error !== null && (
        <Alert color="red" title="The run could not be completed" role="alert">
          {run.error.message} ({run.error.code})
        </Alert>
      )}
      {run.inDoubtStep !== null && (
        <Alert color="yellow" title={`In doubt: ${run.inDoubtStep}`} role="alert">
          This step had been sent when its worker was lost. Look at the target whether it took effect.
        </Alert>
      )}
    </>
  );
}

/**
 * A note that the journey passed directly after it had failed, or the other way round, with a link to compare both
 * runs.
 */
function Flaky({ run, otherId }: { run: JourneyRun; otherId: string }) {
  return (
    <Alert color="yellow" title="Flaky" role="status">
      The same program, with the same inputs and the same settings of the environment,{" "}
      <Anchor component={Link} href={`/journey-runs/${otherId}`} underline="always">
        {run.status === "passed" ? "failed directly before" : "passed directly afterwards"}
      </Anchor>
      .{" "}
      <Anchor component={Link} href={`/journey-runs/${run.id}?against=${otherId}`} underline="always">
        Compare both runs
      </Anchor>{" "}
      to see which step went differently.
    </Alert>
  );
}

function Outcome(props: { result: RunResult; steps: readonly RunStep[] }) {
  const { acceptance, teardown } = props.result;
  const failed = props.steps.filter(({ result }) => result.phase === "teardown" && isWrong(result));
  return (
    <>
      {teardown.status === "failed" && (
        <Alert color="yellow" title="The teardown failed" role="alert">
          What the journey made may be left at the target. Steps of the teardown that failed:{" "}
          {failed.map(({ result }) => result.id).join(", ") || "none that is kept"}.
        </Alert>
      )}
      {acceptance.length > 0 && <AcceptanceCriteria criteria={acceptance} />}
    </>
  );
}
