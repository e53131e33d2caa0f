import { Alert, List, Skeleton, Text } from "@mantine/core";
import { JourneySchedule } from "@waymark/shared/journey-schedules/schema.ts";
import type { JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";
import { useQuery } from "@tanstack/react-query";
import { countOf } from "../../../lib/count-of.ts";
import { readList } from "../../../lib/read-query.ts";
import { SCHEDULES } from "../../api-queries.ts";
import { affectedSchedules } from "./affected-schedules.ts";
import { describeAffected } from "./describe-affected.ts";
import type { useDryRun } from "./use-save.ts";

/** Shows the effects of a change on documents that refer to the changed one, and on schedules. */
export function Effects({ dryRun }: { dryRun: ReturnType<typeof useDryRun> }) {
  if (dryRun.isPending) return <Skeleton height={48} aria-label="Checking what changes" />;
  if (dryRun.isLoadingError) return null;
  const { documents, affected, uncheckedCount } = dryRun.data;
  const errorCount = documents[0]?.errorCount ?? 0;
  return (
    <section aria-label="What else changes">
      {errorCount > 0 && (
        <Alert
          color="yellow"
          title={`This version can't run: ${countOf(errorCount, "errors")}`}
          role="status"
          mb="sm"
        >
          {documents[0]?.problems[0]?.message} It is stored all the same.
        </Alert>
      )}
      {affected.length === 0 ? (
        <Text>No other document refers to this one.</Text>
      ) : (
        <>
          <Text>These documents refer to it:</Text>
          <List>
            {affected.map((document) => (
              <List.Item key={document.id} className="breaks">
                {document.path}: {describeAffected(document)}
              </List.Item>
            ))}
          </List>
        </>
      )}
      {uncheckedCount > 0 && <Text>{uncheckedCount} more were not checked.</Text>}
      <Schedules result={dryRun.data} />
    </section>
  );
}

function Schedules({ result }: { result: JourneyChangesetResult }) {
  const schedules = useQuery({
    ...readList(SCHEDULES, { field: "schedules", item: JourneySchedule }),
    gcTime: 0,
  });
  if (schedules.isPending) return <Skeleton height={24} mt="xs" aria-label="Loading the schedules" />;
  if (schedules.isLoadingError)
    return <Text mt="xs">Which schedules it concerns can&apos;t be read: {schedules.error.message}</Text>;
  const found = affectedSchedules(schedules.data, result);
  if (found.length === 0) return <Text mt="xs">No schedule runs a document that changes.</Text>;
  return (
    <>
      <Text mt="xs">These schedules run the newest version of a document that changes:</Text>
      <List>
        {found.map(({ schedule, isBroken }) => (
          <List.Item key={schedule.id} className="breaks">
            {schedule.name} runs {schedule.journeyPath} in {schedule.environmentName}
            {isBroken && ", which can't run then"}
          </List.Item>
        ))}
      </List>
    </>
  );
}
