import { Button, Stack, TextInput } from "@mantine/core";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { type FormEvent, type ReactNode, useState } from "react";
import { useLocation } from "wouter";
import { RequestError } from "../../lib/request-error.tsx";
import { useMay } from "../../lib/use-session.ts";
import { newPath } from "./new-path.ts";
import { type NewDocuments, useCreateJourney } from "./use-new-journey.ts";

/** The text and the documents that the new journey is created from. */
export type Choice = Pick<NewDocuments, "source" | "description"> & {
  kind: "journey" | "overlay";
  title: string;
  /** The text has its title already. */
  hasTitle?: boolean;
};

/** Properties of the fields of an origin: `finish` renders the fields of every journey below them. */
export interface OriginProps {
  finish: (choice: Choice | undefined) => ReactNode;
}

/** The title and the path of the new journey, and the button that creates it. */
export function NewJourneyForm(props: { choice: Choice | undefined; documents: readonly JourneyDocument[] }) {
  const { choice, documents } = props;
  const [typedTitle, setTitle] = useState<string>();
  const [typedPath, setPath] = useState<string>();
  const [, navigate] = useLocation();
  const create = useCreateJourney();
  const mayWrite = useMay("journeys:write");
  const title = typedTitle ?? choice?.title ?? "";
  const taken = new Set(documents.map((document) => document.path));
  const path = typedPath ?? (title === "" ? "" : newPath(title, { kind: choice?.kind ?? "journey", taken }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (choice === undefined) return;
    const { source, description } = choice;
    create.mutate(
      { source, title, path, ...(description !== undefined && { description }) },
      { onSuccess: (id) => navigate(`/journeys/${id}/edit`) },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {choice?.hasTitle !== true && (
          <TextInput
            label="Title"
            required
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
        )}
        <TextInput
          label="Path"
          description="Where it is stored, as in a repository."
          required
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
          error={taken.has(path) ? "A document has this path already." : undefined}
        />
        {create.error !== null && <RequestError title="The journey was not made" error={create.error} />}
        <Button
          type="submit"
          w="fit-content"
          disabled={choice === undefined || !mayWrite || taken.has(path)}
          loading={create.isPending}
        >
          Make it
        </Button>
      </Stack>
    </form>
  );
}
