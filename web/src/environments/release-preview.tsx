import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { JourneyReleasePreview } from "@waymark/shared/environments/releases/schema.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { RequestError } from "../lib/request-error.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { useRelease, useReleasePreview } from "./use-environments.ts";

interface Props {
  environment: Pick<Environment, "id" | "revision">;
  journeyId: string;
  version: number;
}

/** Shows the changes of a release, with a button that releases exactly these. */
export function ReleasePreview({ environment, journeyId, version }: Props) {
  const preview = useReleasePreview(environment, { journeyId, version });
  const release = useRelease(environment.id);
  if (preview.isPending) return <Skeleton height={120} aria-label="Building what would be released" />;
  if (preview.isError) return <ErrorAlert error={preview.error} onRetry={() => void preview.refetch()} />;
  const { artifact, release: current } = preview.data;
  const isReleased = artifact !== null && current?.artifact === artifact && current.changedSince.length === 0;
  return (
    <Stack gap="sm">
      <Title order={3} size="h4">
        What a release changes
      </Title>
      <Summary preview={preview.data} isReleased={isReleased} />
      {preview.data.steps.length > 0 && <StepTable preview={preview.data} />}
      <Group>
        <Button
          variant="default"
          loading={release.isPending}
          disabled={artifact === null || isReleased}
          onClick={() =>
            artifact !== null && release.mutate({ journeyId, version, expectArtifact: artifact })
          }
        >
          Release
        </Button>
      </Group>
      {release.isError && <RequestError title="The version was not released" error={release.error} />}
    </Stack>
  );
}

function Summary({ preview, isReleased }: { preview: JourneyReleasePreview; isReleased: boolean }) {
  const { artifact, documents, problems, release, servers, steps, workflows } = preview;
  if (artifact === null) {
    const [first] = problems;
    return (
      <Text role="status">
        This version does not compile, so it can&apos;t be released
        {first === undefined ? "." : `: ${first.path} ${first.message}`}
      </Text>
    );
  }
  if (isReleased) return <Text role="status">This version is released, and nothing has changed since.</Text>;
  return (
    <div role="status">
      {release === null && (
        <Text>This journey has no release in this environment. A release lets it send these requests:</Text>
      )}
      {release !== null && steps.length === 0 && (
        <Text>It sends the same requests as the current release.</Text>
      )}
      {documents.map(({ path, released, next }) => (
        <Text key={path} className="breaks">
          {path}: {versionOf(released)} → {versionOf(next)}
        </Text>
      ))}
      {servers.map((source) => (
        <Text key={source}>The environment has another server for {source}.</Text>
      ))}
      {workflows.map(({ workflow, parts }) => (
        <Text key={workflow} className="breaks">
          Workflow {workflow}: {parts.join(", ")} changed
        </Text>
      ))}
    </div>
  );
}

function versionOf(version: number | null): string {
  return version === null ? "not used" : `version ${version}`;
}

type Step = JourneyReleasePreview["steps"][number];

function StepTable({ preview: { steps } }: { preview: JourneyReleasePreview }) {
  return (
    <ResponsiveTable>
      <thead>
        <tr>
          <th>Step</th>
          <th>Change</th>
          <th>Released</th>
          <th>After the release</th>
        </tr>
      </thead>
      <tbody>
        {steps.map(({ workflow, step, change, before, after, parts }) => (
          <tr key={`${workflow} ${step}`}>
            <td className="breaks">
              {workflow} / {step}
            </td>
            <td data-label="Change">{parts.length === 0 ? change : `${change}: ${parts.join(", ")}`}</td>
            <td data-label="Released" className="breaks">
              {change === "added" ? "–" : requestText(before)}
            </td>
            <td data-label="After the release" className="breaks">
              {change === "removed" ? "–" : requestText(after)}
            </td>
          </tr>
        ))}
      </tbody>
    </ResponsiveTable>
  );
}

function requestText(request: Step["before"]): string {
  if (request === null) return "runs a workflow";
  return `${request.method} ${request.host ?? ""}${request.path}`;
}
