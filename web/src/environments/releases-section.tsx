import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { Link } from "wouter";
import { parseWholeNumber } from "../lib/parse-whole-number.ts";
import { RequestError } from "../lib/request-error.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { Select } from "../lib/select.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { useMay } from "../lib/use-session.ts";
import { WholeNumberInput } from "../lib/whole-number-input.tsx";
import type { EnvironmentWithReleases } from "./environment-page.tsx";
import { ReleasePreview } from "./release-preview.tsx";
import { useJourneyNames, useTakeBack } from "./use-environments.ts";

/** A version is built when no other digit has been typed for this time. */
const TYPING_MS = 300;

/** The versions of journeys that a protected environment runs. */
export function ReleasesSection({ environment }: { environment: EnvironmentWithReleases }) {
  const { releases } = environment;
  const mayWrite = useMay("environments:write");
  const [chosen, setChosen] = useState<string | null>(null);
  // Without protection, releases have no effect.
  if (!environment.protected && releases.length === 0) return null;
  return (
    <section aria-labelledby="releases">
      <Title order={2} size="h3" id="releases" mb="xs">
        Releases
      </Title>
      <Stack gap="sm">
        {releases.length === 0 ? (
          <Text role="status">No journey is released, so no journey can run here.</Text>
        ) : (
          <ReleaseTable environment={environment} onChoose={setChosen} />
        )}
        {mayWrite && <ReleaseForm environment={environment} chosen={chosen} onChoose={setChosen} />}
      </Stack>
    </section>
  );
}

function ReleaseTable({
  environment: { id, releases },
  onChoose,
}: {
  environment: EnvironmentWithReleases;
  onChoose: (journeyId: string) => void;
}) {
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
            <th>State</th>
            <th>Released</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {releases.map(({ journeyId, version, releasedAt, changedSince }) => (
            <tr key={journeyId}>
              <td className="breaks">
                <Anchor component={Link} href={`/journeys/${journeyId}?tab=text&version=${version}`}>
                  {nameOf(journeyId)}
                </Anchor>
              </td>
              <td data-label="Version">{version}</td>
              <td data-label="State" className="breaks">
                {changedSince.length === 0 ? "can run" : <Changed names={changedSince} />}
              </td>
              <td data-label="Released">
                <TimeAgo at={releasedAt} />
              </td>
              <td className="right">
                {changedSince.length > 0 && (
                  <Button
                    size="xs"
                    mr="xs"
                    variant="default"
                    disabled={!mayWrite}
                    aria-label={`Compare ${nameOf(journeyId)} with its release`}
                    onClick={() => onChoose(journeyId)}
                  >
                    Compare
                  </Button>
                )}
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

/** Says why a released journey can't run. */
function Changed({ names }: { names: readonly string[] }) {
  return <>can&apos;t run: {names.join(", ")} changed since the release. Compare, and release it again.</>;
}

function ReleaseForm({
  environment,
  chosen,
  onChoose,
}: {
  environment: EnvironmentWithReleases;
  chosen: string | null;
  onChoose: (journeyId: string | null) => void;
}) {
  const journeys = useJourneyNames();
  const newest = journeys.find(({ id }) => id === chosen)?.headVersion ?? 1;
  const [typed, setTyped] = useState<{ of: string | null; text: string } | null>(null);
  const [settled] = useDebouncedValue(typed, TYPING_MS);
  const text = typed?.of === chosen ? typed.text : String(newest);
  const version = parseWholeNumber(text, { min: 1, max: newest });
  return (
    <Stack gap="sm">
      <Group align="start" gap="sm">
        <Select
          label="Journey"
          data={journeys.map(({ id, path }) => ({ value: id, label: path }))}
          value={chosen}
          onChange={onChoose}
          searchable
          w={320}
          maw="100%"
        />
        <WholeNumberInput
          label={`Version, up to ${newest}`}
          value={text}
          onChange={(next) => setTyped({ of: chosen, text: next })}
          error={chosen !== null && version === undefined && describeVersions(newest)}
          w="9rem"
        />
      </Group>
      {chosen !== null &&
        version !== undefined &&
        // The button releases the version in the field, so no other version is shown while somebody types.
        (typed?.of === chosen && settled !== typed ? (
          <Skeleton height={120} aria-label="Building what would be released" />
        ) : (
          <ReleasePreview environment={environment} journeyId={chosen} version={version} />
        ))}
    </Stack>
  );
}

function describeVersions(newest: number): string {
  return newest === 1 ? "There is only version 1." : `The versions are 1 to ${newest}.`;
}
