import { Button, Group, Paper, Text, Title } from "@mantine/core";
import type { JourneyRunLink } from "@waymark/shared/journey-runs/links/schema.ts";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { countOf } from "../../lib/count-of.ts";
import { RequestError } from "../../lib/request-error.tsx";
import { TimeAgo, TimeUntil } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { useMay } from "../../lib/use-session.ts";
import { isFinal } from "../run-status.tsx";
import { useEndRunLink, useRunLinks } from "./use-run-links.ts";

/** Lists the links by which people without an account read a run. Nothing if there are none. */
export function RunLinks({ run }: { run: JourneyRun }) {
  return isFinal(run) ? <Links runId={run.id} /> : null;
}

function Links({ runId }: { runId: string }) {
  const links = useRunLinks(runId);
  const end = useEndRunLink(runId);
  const shown = links.data?.links ?? [];
  if (links.isLoadingError)
    return <RequestError title="The links to this run were not loaded" error={links.error} />;
  if (shown.length === 0) return null;
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="run-links">
      <Title order={2} size="h4" id="run-links">
        Shared by {countOf(shown.length, "links")}
      </Title>
      <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
        {shown.map((link) => (
          <LinkItem
            key={link.id}
            link={link}
            isEnding={end.isPending && end.variables === link.id}
            onEnd={() => end.mutate(link.id)}
          />
        ))}
      </ul>
      {end.error !== null && <RequestError title="The link was not ended" error={end.error} />}
    </Paper>
  );
}

function LinkItem(props: { link: JourneyRunLink; isEnding: boolean; onEnd: () => void }) {
  const { link, isEnding, onEnd } = props;
  const mayShare = useMay("journeys:share");
  const isAdministrator = useMay("principals:manage");
  const keyName = useKeyNames()?.get(link.createdByKeyId);
  const maker = link.creator?.displayName ?? (keyName === undefined ? "a key" : `key ${keyName}`);
  return (
    <li style={{ paddingTop: "0.75rem" }}>
      <Group justify="space-between" gap="xs">
        <div className="breaks">
          <Text size="sm">
            <b>{link.note ?? "No note"}</b> ·{" "}
            {link.includes === "verdicts" ? "only verdicts" : "with requests and responses"}
          </Text>
          <Text size="sm" c="dimmed">
            By {maker} <TimeAgo at={link.createdAt} />, ends <TimeUntil at={link.expiresAt} />.{" "}
            {link.lastOpenedAt === null ? (
              "Never opened."
            ) : (
              <>
                Opened {countOf(link.openCount, "times")}, last <TimeAgo at={link.lastOpenedAt} />.
              </>
            )}
          </Text>
        </div>
        {mayShare && (link.isOwn || isAdministrator) && (
          <Button
            size="xs"
            variant="default"
            loading={isEnding}
            aria-label={`End link ${link.note ?? "without a note"}`}
            onClick={onEnd}
          >
            End link
          </Button>
        )}
      </Group>
    </li>
  );
}
