import { Anchor, Skeleton, Table } from "@mantine/core";
import type { DocumentVersion } from "@waymark/shared/journeys/schema.ts";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import { TimeAgo } from "../../lib/time.tsx";
import { describeProblems } from "../describe-problems.ts";
import { useVersions } from "../use-journeys.ts";

export function VersionTable({ journeyId }: { journeyId: string }) {
  const versions = useVersions(journeyId);
  if (versions.isPending) return <Skeleton height={480} aria-label="Loading the versions" />;
  if (versions.isLoadingError)
    return <ErrorAlert error={versions.error} onRetry={() => void versions.refetch()} />;
  return (
    <ResponsiveTable>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Version</Table.Th>
          <Table.Th>Message</Table.Th>
          <Table.Th>From</Table.Th>
          <Table.Th>Problems</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {versions.data.map((version) => (
          <Table.Tr key={version.version}>
            <Table.Td>
              <Anchor component={Link} href={`/journeys/${journeyId}?tab=text&version=${version.version}`}>
                {version.version}
              </Anchor>
              , <TimeAgo at={version.createdAt} />
            </Table.Td>
            <Table.Td data-label="Message" data-wide className="breaks">
              {version.message ?? "–"}
            </Table.Td>
            <Table.Td data-label="From" className="breaks">
              <Origin version={version} />
            </Table.Td>
            <Table.Td data-label="Problems">{describeProblems(version)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </ResponsiveTable>
  );
}

const ORIGINS = { console: "console", cli: "command", api: "API" } as const;

function Origin({ version: { origin, source } }: { version: DocumentVersion }) {
  const where = [source?.branch, source?.commit?.slice(0, 12)].filter((part) => part !== undefined).join(" ");
  return (
    <>
      {ORIGINS[origin]}
      {where !== "" && ", "}
      {source?.url === undefined ? (
        where
      ) : (
        <Anchor href={source.url}>{where === "" ? "source" : where}</Anchor>
      )}
    </>
  );
}
