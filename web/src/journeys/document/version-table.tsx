import { Anchor, Skeleton, Stack } from "@mantine/core";
import type { DocumentVersion } from "@waymark/shared/journeys/schema.ts";
import { Suspense } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { ExportButtons } from "../../lib/export-buttons.tsx";
import { FilterRow } from "../../lib/filters.tsx";
import { lazyPart } from "../../lib/lazy-part.tsx";
import { ResponsiveTable } from "../../lib/responsive-table.tsx";
import type { ExportFields } from "../../lib/table-export.ts";
import { TimeAgo } from "../../lib/time.tsx";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { describeProblems } from "../describe-problems.ts";
import { useUrlState } from "../../lib/use-url-state.ts";
import { useVersions } from "../use-journeys.ts";

const VersionChanges = lazyPart(
  "What shows the changes",
  async () => (await import("./version-changes.tsx")).VersionChanges,
);

export function VersionTable({ journeyId, path }: { journeyId: string; path: string }) {
  const versions = useVersions(journeyId);
  const keyNames = useKeyNames();
  const [changes] = useUrlState("changes");
  // A name can have another height than the id, and the rows must not move.
  if (versions.isPending || keyNames === undefined)
    return <Skeleton height={480} aria-label="Loading the versions" />;
  if (versions.isLoadingError)
    return <ErrorAlert error={versions.error} onRetry={() => void versions.refetch()} />;
  const chosen = versions.data.find(({ version }) => version > 1 && String(version) === changes);
  return (
    <Stack gap="sm">
      {chosen !== undefined && (
        <Suspense fallback={<Skeleton height={320} aria-label="Loading the changes" />}>
          <VersionChanges journeyId={journeyId} version={chosen.version} />
        </Suspense>
      )}
      <FilterRow
        actions={<ExportButtons name={[path, "versions"]} fields={EXPORTED} rows={versions.data} />}
      />
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Version</th>
            <th>Message</th>
            <th>Changes</th>
            <th>Saved by</th>
            <th>From</th>
            <th>Problems</th>
          </tr>
        </thead>
        <tbody>
          {versions.data.map((version) => (
            <VersionRow
              key={version.version}
              journeyId={journeyId}
              version={version}
              savedBy={keyNames.get(version.createdByKeyId) ?? version.createdByKeyId}
            />
          ))}
        </tbody>
      </ResponsiveTable>
    </Stack>
  );
}

function VersionRow(props: {
  journeyId: string;
  version: DocumentVersion;
  /** The key's name; its id for sessions without `api-keys:read`. */
  savedBy: string;
}) {
  const { journeyId, version: row, savedBy } = props;
  const { version, createdAt, message } = row;
  const address = `/journeys/${journeyId}?tab=`;
  return (
    <tr>
      <td>
        <Anchor component={Link} href={`${address}text&version=${version}`} underline="always">
          {version}
        </Anchor>
        , <TimeAgo at={createdAt} />
      </td>
      <td data-label="Message" data-wide className="breaks">
        {message ?? "–"}
      </td>
      <td data-label="Changes">
        {version === 1 ? (
          "–"
        ) : (
          <Anchor component={Link} href={`${address}versions&changes=${version}`}>
            since version {version - 1}
          </Anchor>
        )}
      </td>
      <td data-label="Saved by" className="breaks">
        {savedBy}
      </td>
      <td data-label="From" className="breaks">
        <Origin version={row} />
      </td>
      <td data-label="Problems">{describeProblems(row)}</td>
    </tr>
  );
}

const EXPORTED: ExportFields<DocumentVersion> = {
  version: ({ version }) => version,
  createdAt: ({ createdAt }) => createdAt,
  message: ({ message }) => message,
  savedByKeyId: ({ createdByKeyId }) => createdByKeyId,
  origin: ({ origin }) => origin,
  branch: ({ source }) => source?.branch ?? null,
  commit: ({ source }) => source?.commit ?? null,
  url: ({ source }) => source?.url ?? null,
  errorCount: ({ errorCount }) => errorCount,
  warningCount: ({ warningCount }) => warningCount,
  hash: ({ hash }) => hash,
};

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
