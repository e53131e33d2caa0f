import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { createJourneyChangeset } from "@waymark/shared/journeys/addresses.ts";
import { JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { callApi } from "../../lib/api.ts";
import { RequestError } from "../../lib/request-error.tsx";
import { useMay } from "../../lib/use-session.ts";
import type { Journey } from "./journey-page.tsx";

/** Says that the current scan has another description than the document, and takes it as the next version when somebody asks for it. */
export function NewerDescription({ journey }: { journey: Journey }) {
  const take = useTakeDescription(journey);
  const mayWrite = useMay("journeys:write");
  const { binding, archivedAt } = journey;
  const scanRunId = binding?.newerScanRunId ?? null;
  if (binding === null || scanRunId === null || archivedAt !== null) return null;
  return (
    <Alert
      color="yellow"
      title={`The current scan of ${binding.serviceName} has another description`}
      role="status"
    >
      <Text>
        Journeys that use this document are checked and run against its newest version until you take the
        description of the{" "}
        <Anchor component={Link} href={`/scan-runs/${scanRunId}?tab=changes`} underline="always">
          current scan
        </Anchor>
        .
      </Text>
      {take.error !== null && <RequestError title="The description was not taken" error={take.error} />}
      {mayWrite && (
        <Group mt="sm">
          <Button variant="default" size="xs" loading={take.isPending} onClick={() => take.mutate(scanRunId)}>
            Take the current description
          </Button>
        </Group>
      )}
    </Alert>
  );
}

function useTakeDescription({ id, path, headVersion }: Journey) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (scanRunId: string) =>
      callApi(
        createJourneyChangeset,
        {
          body: {
            message: "Take the description of the current scan",
            changes: [{ path, description: { scanRunId }, baseVersion: headVersion }],
          },
        },
        { read: JourneyChangesetResult },
      ),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["journeys"] }),
        client.invalidateQueries({ queryKey: ["journey", id] }),
      ]),
  });
}
