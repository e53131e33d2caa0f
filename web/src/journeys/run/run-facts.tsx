import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { getJourneyRunReport } from "@waymark/shared/journey-runs/addresses.ts";
import { requestOf } from "@waymark/shared/operations/request.ts";
import { Anchor, Group, Paper, Title } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { Link } from "wouter";
import { addressOf } from "../../lib/base-path.ts";
import { Copyable, Fact, Facts } from "../../lib/facts.tsx";
import { useCreatorKey } from "../../lib/use-creator-key.ts";
import { isFinal } from "../run-status.tsx";
import { describeCi } from "./describe-ci.ts";

export function RunFacts({ run }: { run: JourneyRun }) {
  const keyName = useCreatorKey(run).data?.name;
  const by = run.creator?.displayName ?? (keyName === undefined ? null : `the key ${keyName}`);
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        This run
      </Title>
      <Facts>
        <Fact name="Journey">
          <Anchor component={Link} href={`/journeys/${run.journeyId}?tab=text&version=${run.version}`}>
            {run.journeyPath}, version {run.version}
          </Anchor>
        </Fact>
        <Fact name="Environment">
          {run.environmentName}, revision {run.environmentRevision}
        </Fact>
        <Fact name="Started by">
          {run.trigger}
          {by !== null && `, by ${by}`}
        </Fact>
        {run.ci !== null && (
          <Fact name="Build">
            {run.ci.url === undefined ? (
              describeCi(run.ci)
            ) : (
              <Anchor href={run.ci.url}>{describeCi(run.ci)}</Anchor>
            )}
          </Fact>
        )}
        {run.rerunOf !== null && (
          <Fact name="Repeats">
            <Anchor component={Link} href={`/journey-runs/${run.rerunOf}`}>
              an earlier run
            </Anchor>
          </Fact>
        )}
        <Fact name="Seed">
          <Copyable value={run.seed} what="the seed" />
        </Fact>
        <Fact name="Program">
          <Copyable value={run.programId} what="the program's id" />
        </Fact>
        <Fact name="Run">
          <Copyable value={run.id} what="the run's id" />
        </Fact>
        <Fact name="Repeat it locally">
          <Copyable value={`waymark journey run --replay ${run.id}`} what="the command that repeats it" />
        </Fact>
        {isFinal(run) && (
          <Fact name="Reports">
            <Group gap="sm">
              {REPORT_FORMATS.map((format) => (
                <Anchor
                  key={format}
                  href={addressOf(requestOf(getJourneyRunReport, { params: { runId: run.id, format } }).path)}
                  download
                >
                  {format}
                </Anchor>
              ))}
            </Group>
          </Fact>
        )}
      </Facts>
    </Paper>
  );
}
