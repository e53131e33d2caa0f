import { Alert, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { hasPermission } from "../../lib/permissions.ts";
import { useSession } from "../../lib/use-session.ts";
import type { Journey } from "../document/journey-page.tsx";
import { useJourneyRun } from "../run/use-journey-run.ts";
import { useJourney, useVersionText } from "../use-journeys.ts";
import { Builder } from "./builder.tsx";
import { type Draft, findDraft } from "./save/draft.ts";

/** Build mode: changes the newest version of a document, or goes on with the draft that this browser keeps. */
export default function BuildPage({ journeyId }: { journeyId: string }) {
  const journey = useJourney(journeyId);
  // Requested together with the text: the steps that follow say which version ran last.
  useJourneyRun(journey.data?.lastRun?.id);
  if (journey.isPending) return <Skeleton height={600} aria-label="Loading the journey" />;
  if (journey.isLoadingError)
    return <ErrorAlert error={journey.error} onRetry={() => void journey.refetch()} />;
  const { id, path, title, managedBy } = journey.data;
  return (
    <Stack gap="md">
      <title>{`Edit ${path} · Waymark`}</title>
      <div>
        <Breadcrumbs
          steps={[
            { href: "/journeys", label: "Journeys" },
            { href: `/journeys/${id}`, label: path },
          ]}
        />
        <Title order={1} className="breaks">
          {title ?? path}
        </Title>
        {managedBy !== null && (
          <Text size="sm" c="dimmed" className="breaks">
            Managed by {managedBy.repository}, where it is {managedBy.path}.
          </Text>
        )}
      </div>
      <Base journey={journey.data} />
    </Stack>
  );
}

function Base({ journey }: { journey: Journey }) {
  const [draft] = useState<Draft | undefined>(() => findDraft(localStorage, journey.id));
  // The version that editing began with: newer ones don't replace what is being edited.
  const [version] = useState(draft?.version ?? journey.headVersion);
  const text = useVersionText(journey.id, version);
  const { data: session } = useSession();
  if (text.isPending) return <Skeleton height={480} aria-label="Loading the text" />;
  if (text.isLoadingError) return <ErrorAlert error={text.error} onRetry={() => void text.refetch()} />;
  const mayWrite = session !== null && session !== undefined && hasPermission(session, "journeys:write");
  const lock = lockOf(journey, mayWrite);
  return (
    <>
      {lock !== undefined && (
        <Alert color="gray" role="status" title="You can read this document, and not change it">
          {lock}
        </Alert>
      )}
      <Builder
        journey={journey}
        firstBase={{ version, text: text.data.text }}
        draft={draft}
        isLocked={lock !== undefined}
      />
    </>
  );
}

function lockOf({ archivedAt }: Journey, mayWrite: boolean): string | undefined {
  if (archivedAt !== null) return "It is archived.";
  return mayWrite ? undefined : "Your API key lacks the permission journeys:write.";
}
