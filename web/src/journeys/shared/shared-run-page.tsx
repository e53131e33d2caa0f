import { Alert, Container, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { OpenedJourneyRunLink, SharedJourneyRun } from "@waymark/shared/journey-runs/links/schema.ts";
import { ApiError } from "../../lib/api.ts";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LoadMore } from "../../lib/load-more.tsx";
import { Logo } from "../../lib/logo.tsx";
import { Time } from "../../lib/time.tsx";
import { AcceptanceCriteria } from "../run/acceptance-criteria.tsx";
import { describeDuration } from "../run/describe-duration.ts";
import { RunStatusBadge } from "../run-status.tsx";
import { describeShown } from "./describe-shown.ts";
import { SharedSteps } from "./shared-steps.tsx";
import { useLinkToken, useSharedRun } from "./use-shared-run.ts";

/** Shows one run to whoever has its link, without an account and without a way to anything else. */
export function SharedRunPage() {
  const opened = useSharedRun(useLinkToken());
  const { data, error } = opened;
  return (
    <Container component="main" size="lg" py="xl">
      <title>{`${data?.run?.title ?? "Shared run"} · Waymark`}</title>
      <Stack gap="lg">
        <Logo size={32} />
        {data === undefined ? (
          <Unopened error={error} onRetry={() => void opened.refetch()} />
        ) : (
          <>
            <Run opened={data} />
            <LoadMore pages={opened} label="Load more steps" size="sm" />
          </>
        )}
      </Stack>
    </Container>
  );
}

function Unopened({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error === null) return <Skeleton height={480} aria-label="Loading the run" />;
  if (error instanceof ApiError && error.status === 404)
    return (
      <>
        <Title order={1}>This link does not work</Title>
        <Text>
          It is not complete, has expired, or was ended. Ask the person who sent it for another one.
        </Text>
      </>
    );
  return (
    <>
      <Title order={1}>The run was not loaded</Title>
      <ErrorAlert error={error} onRetry={onRetry} />
    </>
  );
}

function Run({ opened }: { opened: OpenedJourneyRunLink }) {
  const { run, steps, includes, expiresAt } = opened;
  if (run === null)
    return (
      <>
        <Title order={1}>This run is no longer kept</Title>
        <Text>Runs are deleted after some time. The link was right, and works for nothing else.</Text>
      </>
    );
  return (
    <>
      <Head run={run} />
      <Ending run={run} />
      {run.acceptance.length > 0 && (
        <AcceptanceCriteria criteria={run.acceptance.map((criterion) => ({ ...criterion, by: [] }))} />
      )}
      <SharedSteps
        steps={steps}
        kept={run.kept}
        withExchanges={includes === "exchanges" && run.kept === "evidence"}
      />
      <Text size="sm" c="dimmed">
        {describeShown({ includes, kept: run.kept })} It works until <Time at={expiresAt} />.
      </Text>
    </>
  );
}

function Head({ run }: { run: SharedJourneyRun }) {
  return (
    <div>
      <Group gap="sm">
        <Title order={1} className="breaks">
          {run.title}
        </Title>
        <RunStatusBadge status={run.status} size="lg" />
      </Group>
      <Text size="sm" c="dimmed">
        {run.startedAt !== null && (
          <>
            Run on <Time at={run.startedAt} />, took {describeDuration(run)},{" "}
          </>
        )}
        {run.passedStepCount} of {countOf(run.stepCount, "steps")} passed
        {run.origin === "uploaded" && ". Uploaded by whoever ran it: it did not run here"}
      </Text>
    </div>
  );
}

function Ending({ run }: { run: SharedJourneyRun }) {
  return (
    <>
      {run.error !== null && (
        <Alert color="red" title="The run could not be completed" role="alert">
          {run.error.message ?? "The reason is left out"} ({run.error.code})
        </Alert>
      )}
      {run.inDoubtStep !== null && (
        <Alert color="yellow" title={`In doubt: ${run.inDoubtStep}`} role="alert">
          This step had been sent when the run was lost. It may have taken effect.
        </Alert>
      )}
      {run.teardown === "failed" && (
        <Alert color="yellow" title="The teardown failed" role="alert">
          What the journey made may be left at the target.
        </Alert>
      )}
    </>
  );
}
