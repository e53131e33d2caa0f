import { Anchor, Button, Group, NumberInput, Stack, Text, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { RequestError } from "../lib/request-error.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { Select } from "../lib/select.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { useMay } from "../lib/use-session.ts";
import type { EnvironmentWithReleases } from "./environment-page.tsx";
import { useJourneyNames, useRelease, useTakeBack } from "./use-environments.ts";

/** The versions of journeys that a protected environment runs. */
export function ReleasesSection({ environment }: { environment: EnvironmentWithReleases }) {
  const { releases } = environment;
  const mayWrite = useMay("environments:write");
  // Without protection, releases have no effect.
  if (!environment.protected && releases.length === 0) return null;
  return (
    <section aria-labelledby="releases">
      <Title order={2} size="h3" id="releases" mb="xs">
        Releases
      </Title>
      <Stack gap="sm">
        {releases.length === 0 ? (
          <Text role="status">No journey is released, so none can run here.</Text>
        ) : (
          <ReleaseTable environment={environment} />
        )}
        {mayWrite && <ReleaseForm environmentId={environment.id} />}
      </Stack>
    </section>
  );
}

function ReleaseTable({ environment: { id, releases } }: { environment: EnvironmentWithReleases }) {
  const journeys = useJourneyNames();
  const takeBack = useTakeBack(id);
  const mayWrite = useMay("environments:write");
  const nameOf = (journeyId: string) => journeys.find((one) => one.id === journeyId)?.path ?? journeyId;
  return (
    <>
      {takeBack.isError && <RequestError title="The release was not taken back" error={takeBack.error} />}
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Journey</th>
            <th>Version</th>
            <th>Released</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {releases.map(({ journeyId, version, releasedAt }) => (
            <tr key={journeyId}>
              <td className="breaks">
                <Anchor component={Link} href={`/journeys/${journeyId}?tab=text&version=${version}`}>
                  {nameOf(journeyId)}
                </Anchor>
              </td>
              <td data-label="Version">{version}</td>
              <td data-label="Released">
                <TimeAgo at={releasedAt} />
              </td>
              <td className="right">
                <Button
                  size="xs"
                  variant="default"
                  disabled={!mayWrite}
                  loading={takeBack.isPending && takeBack.variables === journeyId}
                  aria-label={`Take back the release of ${nameOf(journeyId)}`}
                  onClick={() => takeBack.mutate(journeyId)}
                >
                  Take back
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </ResponsiveTable>
    </>
  );
}

function ReleaseForm({ environmentId }: { environmentId: string }) {
  const journeys = useJourneyNames();
  const release = useRelease(environmentId);
  const [journeyId, setJourneyId] = useState<string | null>(null);
  const [version, setVersion] = useState(1);
  const newest = journeys.find(({ id }) => id === journeyId)?.headVersion ?? 1;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (journeyId !== null) release.mutate({ journeyId, version });
  };
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="sm">
        <Select
          label="Journey"
          data={journeys.map(({ id, path }) => ({ value: id, label: path }))}
          value={journeyId}
          onChange={(next) => {
            setJourneyId(next);
            setVersion(journeys.find(({ id }) => id === next)?.headVersion ?? 1);
          }}
          searchable
          w={320}
          maw="100%"
        />
        <NumberInput
          label={`Version, up to ${newest}`}
          value={version}
          onChange={(next) => setVersion(Number(next))}
          min={1}
          max={newest}
          allowDecimal={false}
          w="9rem"
        />
        <Button type="submit" variant="default" loading={release.isPending} disabled={journeyId === null}>
          Release
        </Button>
      </Group>
      {release.isError && <RequestError title="The version was not released" error={release.error} />}
    </form>
  );
}
