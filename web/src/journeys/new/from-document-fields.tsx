import { Select, Text } from "@mantine/core";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import { useVersionText } from "../use-journeys.ts";
import type { Choice, OriginProps } from "./new-journey-form.tsx";

/** The fields for a journey from a stored one: a copy of a template, or a variant that keeps its link. */
export function FromDocumentFields(
  props: OriginProps & { kind: "template" | "variant"; documents: readonly JourneyDocument[] },
) {
  const { kind, documents, finish } = props;
  const [id, setId] = useUrlState("document");
  const possible = documents.filter((one) =>
    kind === "template" ? one.isTemplate && one.kind === "journey" : one.kind !== "openapi",
  );
  const chosen = possible.find((one) => one.id === id);
  const text = useVersionText(chosen?.id, chosen?.headVersion ?? 1);
  const choice: Choice | undefined =
    chosen === undefined || text.data === undefined
      ? undefined
      : {
          source: { kind, document: { path: chosen.path, text: text.data.text } },
          kind: kind === "variant" ? "overlay" : "journey",
          title: `${chosen.title ?? chosen.path}${kind === "variant" ? ", variant" : ""}`,
        };
  if (possible.length === 0)
    return (
      <Text role="status">
        {kind === "template"
          ? "There is no template. A journey is one if its info.x-journey has template: true."
          : "There is no journey that a variant could be built on."}
      </Text>
    );
  return (
    <>
      <Select
        label={kind === "template" ? "Template" : "Its base"}
        description={
          kind === "template"
            ? "The new journey is a copy: later changes of the template don't reach it."
            : "The variant says only what differs: later changes of its base reach it."
        }
        data={possible.map((one) => ({ value: one.id, label: one.path }))}
        value={id === "" ? null : id}
        onChange={(next) => setId(next ?? "")}
        searchable
      />
      {text.isLoadingError && <ErrorAlert error={text.error} onRetry={() => void text.refetch()} />}
      {finish(choice)}
    </>
  );
}
