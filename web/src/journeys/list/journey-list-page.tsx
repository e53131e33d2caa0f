import { Anchor, Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { ExportButtons } from "../../lib/export-buttons.tsx";
import { ChoiceFilter, Filters, SearchFilter } from "../../lib/filters.tsx";
import { SavedViewsMenu } from "../../lib/saved-views/saved-views-menu.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import type { ExportFields } from "../../lib/table-export.ts";
import { Time, TimeAgo } from "../../lib/time.tsx";
import { useMay } from "../../lib/use-session.ts";
import { useUrlState } from "../../lib/use-url-state.ts";
import { useNextStarts } from "../schedules/use-next-starts.ts";
import { useJourneys } from "../use-journeys.ts";
import { describeProblems } from "../describe-problems.ts";
import { filterJourneys, KIND_NAMES, kindOf, type ListedJourney } from "./filter-journeys.ts";
import { LastRuns } from "./last-runs.tsx";
import { NoJourneys } from "./no-journeys.tsx";

export default function JourneyListPage() {
  const journeys = useJourneys();
  const nextStarts = useNextStarts();
  const mayWrite = useMay("journeys:write");
  // Both together, so that the columns keep their widths.
  const isPending = journeys.isPending || nextStarts.isPending;
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Journeys</Title>
        {mayWrite && (
          <Button component={Link} href="/journeys/new">
            New journey
          </Button>
        )}
      </Group>
      {isPending && <Skeleton height={480} aria-label="Loading the journeys" />}
      {journeys.isLoadingError && (
        <ErrorAlert error={journeys.error} onRetry={() => void journeys.refetch()} />
      )}
      {journeys.data !== undefined &&
        !isPending &&
        (journeys.data.length === 0 ? (
          <NoJourneys />
        ) : (
          <JourneyList journeys={journeys.data} nextStarts={nextStarts.data} />
        ))}
    </Stack>
  );
}

function JourneyList(props: {
  journeys: readonly JourneyDocument[];
  /** Undefined if they can't be read. */
  nextStarts: ReadonlyMap<string, string> | undefined;
}) {
  const { journeys, nextStarts } = props;
  const [text, setText] = useUrlState("q");
  const [kind, setKind] = useUrlState("kind");
  const found = useMemo(() => filterJourneys(journeys, { text, kind }), [journeys, text, kind]);
  const documents = found.map(({ journey }) => journey);
  return (
    <>
      <Filters
        shown={found.length}
        total={journeys.length}
        actions={
          <>
            <SavedViewsMenu />
            <ExportButtons name={["journeys"]} fields={EXPORTED} rows={documents} />
          </>
        }
      >
        <SearchFilter placeholder="Path, title or tag" value={text} onChange={setText} />
        <ChoiceFilter label="Kind" value={kind} values={KIND_NAMES} onChange={setKind} />
      </Filters>
      {found.length === 0 ? (
        <Text role="status">No document matches these filters.</Text>
      ) : (
        <ResponsiveTable>
          <thead>
            <tr>
              <th>Journey</th>
              <th>Kind</th>
              <th>Last runs</th>
              <th>Next start</th>
              <th>Version</th>
              <th>Problems</th>
            </tr>
          </thead>
          <tbody>
            {found.map((listed) => (
              <JourneyRow
                key={listed.journey.id}
                {...listed}
                nextStart={nextStarts?.get(listed.journey.id)}
              />
            ))}
          </tbody>
        </ResponsiveTable>
      )}
    </>
  );
}

const EXPORTED: ExportFields<JourneyDocument> = {
  id: ({ id }) => id,
  path: ({ path }) => path,
  title: ({ title }) => title,
  kind: kindOf,
  basePath: ({ base }) => base?.path ?? null,
  tags: ({ tags }) => tags,
  headVersion: ({ headVersion }) => headVersion,
  updatedAt: ({ updatedAt }) => updatedAt,
  lastRunStatus: ({ lastRun }) => lastRun?.status ?? null,
  errorCount: ({ errorCount }) => errorCount,
  warningCount: ({ warningCount }) => warningCount,
};

function JourneyRow(props: ListedJourney & { nextStart: string | undefined }) {
  const { journey, depth, nextStart } = props;
  return (
    <tr>
      <td className="breaks" style={{ paddingLeft: depth === 0 ? undefined : `${0.6 + depth * 1.2}rem` }}>
        <Anchor component={Link} href={`/journeys/${journey.id}`} fw={600}>
          {journey.title ?? journey.path}
        </Anchor>
        {journey.title !== null && (
          <Text size="sm" c="dimmed">
            {journey.path}
          </Text>
        )}
        {journey.tags.length > 0 && (
          <Group gap={4} mt={2}>
            {journey.tags.map((tag) => (
              <Badge key={tag} color="gray.7" tt="none">
                {tag}
              </Badge>
            ))}
          </Group>
        )}
      </td>
      <td data-label="Kind" data-wide className="breaks">
        {kindOf(journey)}
        {journey.base !== null && ` of ${journey.base.path}`}
        {journey.drift?.moved === true && (
          <Badge color="yellow.9" ml={6} title={`Written for ${journey.drift.extendsVersion} of its base`}>
            base has moved to {journey.drift.baseVersion}
          </Badge>
        )}
      </td>
      <td data-label="Last runs" data-wide>
        <LastRuns journey={journey} />
      </td>
      <td data-label="Next start">
        <Time at={nextStart ?? null} />
      </td>
      <td data-label="Version">
        {journey.headVersion}, <TimeAgo at={journey.updatedAt} />
      </td>
      <td data-label="Problems">{describeProblems(journey)}</td>
    </tr>
  );
}
