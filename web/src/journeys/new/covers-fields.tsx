import { Alert, Select, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { loadCode } from "../../lib/load-code.ts";
import type { Choice as Service } from "../../lib/use-choices.ts";
import { useUrlState } from "../../lib/use-url-state.ts";
import type { NamedText } from "./coverable.ts";
import type { Choice, OriginProps } from "./new-journey-form.tsx";

export interface Description extends NamedText {
  /** It is stored here already. */
  stored: boolean;
  /** The service that it is bound to by hand. */
  bindTo?: Service;
  /** The run that it is stored with. */
  scanRunId?: string;
}

/** The choice of the resource or the operation that the new journey covers. */
export function CoversFields({
  service,
  description,
  finish,
}: OriginProps & { service: Service; description: Description }) {
  const [wanted, setWanted] = useUrlState("covers");
  const coverable = useQuery({
    queryKey: ["coverable", description.path, description.text],
    queryFn: async () =>
      (await loadCode("What reads descriptions", () => import("./coverable.ts"))).coverableIn(description),
    gcTime: 0,
  });
  if (coverable.isPending) return <Skeleton height={60} aria-label="Reading the description" />;
  if (coverable.isError)
    return <ErrorAlert error={coverable.error} onRetry={() => void coverable.refetch()} />;
  if (!coverable.data.ok)
    return (
      <Alert color="red" role="alert" title="The description can't be read">
        {coverable.data.message}
      </Alert>
    );
  const { resources, operations } = coverable.data;
  const all = [...resources, ...operations];
  const covers = all.includes(wanted) ? wanted : undefined;
  const choice: Choice | undefined =
    covers === undefined
      ? undefined
      : {
          source: { kind: "service", name: service.name, description, covers },
          kind: "journey",
          title: titleOf(covers),
          ...(!description.stored && {
            description: {
              path: description.path,
              text: description.text,
              service: description.bindTo,
              scanRunId: description.scanRunId,
            },
          }),
        };
  return (
    <>
      <Select
        label="It covers"
        description="The life of a resource creates one, reads, changes and removes it, with acceptance criteria."
        data={[
          { group: "Life of a resource", items: resources },
          { group: "One operation", items: operations },
        ]}
        value={covers ?? null}
        onChange={(next) => setWanted(next ?? "")}
        searchable
        limit={200}
        nothingFoundMessage="No resource or operation has this text."
      />
      {finish(choice)}
    </>
  );
}

function titleOf(covers: string): string {
  return covers.replace(/^The life of one of /, "Life of ");
}
