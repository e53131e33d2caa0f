import { Alert, Badge, Button, Group, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import type { JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";
import { Link } from "wouter";
import type { z } from "zod";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { Time } from "../../lib/time.tsx";
import { useMay } from "../../lib/use-session.ts";
import { useUrlTab } from "../../lib/use-url-state.ts";
import { describeProblems } from "../describe-problems.ts";
import { kindOf } from "../list/filter-journeys.ts";
import { SchedulesPanel } from "../schedules/schedules-panel.tsx";
import { RunButton } from "../start/run-button.tsx";
import { useJourney } from "../use-journeys.ts";
import { DocumentLinks } from "./document-links.tsx";
import { DocumentTextPanel } from "./document-text-panel.tsx";
import { JourneyRunTable } from "./journey-run-table.tsx";
import { NewerDescription } from "./newer-description.tsx";
import { VersionTable } from "./version-table.tsx";
import { LOCALE } from "../../lib/locale.ts";

export type Journey = z.infer<typeof JourneyDocumentDetail>;

export default function JourneyPage({ journeyId }: { journeyId: string }) {
  const journey = useJourney(journeyId);
  if (journey.isPending) return <Skeleton height={600} aria-label="Loading the journey" />;
  if (journey.isLoadingError)
    return <ErrorAlert error={journey.error} onRetry={() => void journey.refetch()} />;
  return (
    <Stack gap="lg">
      <title>{`${journey.data.path} · Waymark`}</title>
      <Head journey={journey.data} />
      <NewerDescription journey={journey.data} />
      <Panels journey={journey.data} />
    </Stack>
  );
}

function Head({ journey }: { journey: Journey }) {
  const { managedBy, archivedAt, drift } = journey;
  const mayWrite = useMay("journeys:write");
  return (
    <div>
      <Breadcrumbs steps={[{ href: "/journeys", label: "Journeys" }]} />
      <Group gap="sm">
        <Title order={1} className="breaks">
          {journey.title ?? journey.path}
        </Title>
        <Badge color="gray.7" size="lg">
          {kindOf(journey)}
        </Badge>
        {archivedAt !== null && (
          <Badge color="gray.7" size="lg">
            archived
          </Badge>
        )}
        {archivedAt === null && (
          <Button component={Link} href={`/journeys/${journey.id}/edit`} variant="default" size="xs">
            Edit
          </Button>
        )}
        {archivedAt === null && journey.kind !== "openapi" && (
          <RunButton journeyId={journey.id} variant="default" size="xs" />
        )}
        {archivedAt === null && journey.kind !== "openapi" && mayWrite && (
          <Button
            component={Link}
            href={`/journeys/new?from=variant&document=${journey.id}`}
            variant="default"
            size="xs"
          >
            New variant
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed" className="breaks">
        {journey.path}, version {journey.headVersion} of <Time at={journey.updatedAt} />, problems:{" "}
        {describeProblems(journey)}
      </Text>
      {managedBy !== null && (
        <Text size="sm" c="dimmed" className="breaks">
          Managed by {managedBy.repository}, where it is {managedBy.path}: change it there.
        </Text>
      )}
      {drift?.moved === true && (
        <Alert color="yellow" title="The base has moved on" role="status" mt="sm">
          This variant was written for {drift.extendsVersion} of its base, which is {drift.baseVersion} now.
          Check that it still does what it should, then set <code>extendsVersion</code> in its{" "}
          <code>x-overlay</code>.
        </Alert>
      )}
    </div>
  );
}

function Panels({ journey }: { journey: Journey }) {
  const tab = useUrlTab(
    journey.kind === "openapi"
      ? ["text", "versions", "links"]
      : ["runs", "schedules", "text", "versions", "links"],
  );
  return (
    <Tabs {...tab} keepMounted={false}>
      <Tabs.List>
        {journey.kind !== "openapi" && <Tabs.Tab value="runs">Runs</Tabs.Tab>}
        {journey.kind !== "openapi" && <Tabs.Tab value="schedules">Schedules</Tabs.Tab>}
        <Tabs.Tab value="text">Text</Tabs.Tab>
        <Tabs.Tab value="versions">Versions ({journey.headVersion.toLocaleString(LOCALE)})</Tabs.Tab>
        <Tabs.Tab value="links">
          Links ({(journey.links.length + journey.usedBy.length).toLocaleString(LOCALE)})
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="runs" pt="md">
        <JourneyRunTable journeyId={journey.id} path={journey.path} />
      </Tabs.Panel>
      <Tabs.Panel value="schedules" pt="md">
        <SchedulesPanel journeyId={journey.id} />
      </Tabs.Panel>
      <Tabs.Panel value="text" pt="md">
        <DocumentTextPanel journey={journey} />
      </Tabs.Panel>
      <Tabs.Panel value="versions" pt="md">
        <VersionTable journeyId={journey.id} path={journey.path} />
      </Tabs.Panel>
      <Tabs.Panel value="links" pt="md">
        <DocumentLinks journey={journey} />
      </Tabs.Panel>
    </Tabs>
  );
}
