import { Alert, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMemo, useState } from "react";
import { ErrorAlert } from "../../../lib/error-alert.tsx";
import { useVersionText } from "../../use-journeys.ts";
import { ConflictingLines } from "./conflicting-lines.tsx";
import { type MergeChoice, mergedText, mergeLines } from "./merge-lines.ts";
import type { SaveDialogProps } from "./save-dialog.tsx";
import { TextDifference } from "../../text-difference/text-difference.tsx";

/** Shows what changed meanwhile and what the own text changes, and lets the user merge or choose. */
export function Conflict(props: SaveDialogProps & { headVersion: number | null }) {
  const { headVersion, saving } = props;
  if (headVersion !== null) return <Newer {...props} headVersion={headVersion} />;
  return (
    <Alert color="yellow" role="alert" title="The document was archived">
      {saving.path} is not there any more, so your text can't become its next version. It stays in this
      browser as a draft: copy it from the page.
    </Alert>
  );
}

function Newer(props: SaveDialogProps & { headVersion: number }) {
  const { base, saving, headVersion } = props;
  const head = useVersionText(saving.journeyId, headVersion);
  if (head.isPending) return <Skeleton height={240} aria-label="Loading the newest version" />;
  if (head.isLoadingError) return <ErrorAlert error={head.error} onRetry={() => void head.refetch()} />;
  const { text, message } = head.data;
  return (
    <Stack>
      <Alert color="yellow" role="alert" title={`Version ${headVersion} is newer than yours`}>
        Your text was made from version {base.version}. Nothing was saved.
        {message !== null && ` Version ${headVersion} says: ${message}`}
      </Alert>
      <section aria-label="Their change">
        <Title order={3} size="h3" mb="xs">
          What version {headVersion} changed
        </Title>
        <TextDifference before={base.text} after={text} label="Their changed lines" />
      </section>
      <section aria-label="Your change">
        <Title order={3} size="h3" mb="xs">
          What you changed
        </Title>
        <TextDifference before={base.text} after={saving.text} label="Your changed lines" />
      </section>
      <Choice {...props} theirs={{ version: headVersion, text }} />
    </Stack>
  );
}

function Choice(props: SaveDialogProps & { theirs: SaveDialogProps["base"] }) {
  const { base, saving, theirs, onMerge, onTakeTheirs } = props;
  const parts = useMemo(
    () => mergeLines({ base: base.text, mine: saving.text, theirs: theirs.text }),
    [base.text, saving.text, theirs.text],
  );
  const conflicts = parts.filter((part) => part.kind === "conflict");
  const [choices, setChoices] = useState<readonly MergeChoice[]>(conflicts.map(() => "mine"));
  return (
    <>
      {conflicts.length === 0 ? (
        <Text size="sm">The changes are of different lines: merging keeps both.</Text>
      ) : (
        conflicts.map((conflict, at) => (
          <ConflictingLines
            // Conflicts of the same texts never move.
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            number={at + 1}
            count={conflicts.length}
            conflict={conflict}
            choice={choices[at] ?? "mine"}
            onChoose={(choice) => setChoices(choices.with(at, choice))}
          />
        ))
      )}
      <Text size="sm">
        You see the result before it is saved. To take theirs removes yours, and can be undone.
      </Text>
      <Group justify="end">
        <Button variant="default" onClick={() => onTakeTheirs(theirs)}>
          Take version {theirs.version}
        </Button>
        <Button variant="default" onClick={() => onMerge(theirs, saving.text)}>
          Keep my text
        </Button>
        <Button onClick={() => onMerge(theirs, mergedText(parts, choices))}>Merge both</Button>
      </Group>
    </>
  );
}
