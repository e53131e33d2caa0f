import { Anchor, Code, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { ENDPOINT_SEARCH_MAX, type FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import { Link } from "wouter";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { countOf } from "../lib/count-of.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { FilterRow } from "../lib/filters.tsx";
import { LabelFilter, useLabelFilter } from "../lib/label-filter.tsx";
import { OwnerFilter, useOwnerFilter } from "../lib/owner-filter.tsx";
import { SavedViewsMenu } from "../lib/saved-views/saved-views-menu.tsx";
import { OwnerName } from "../lib/owner-name.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { endpointAddress } from "../lib/endpoint/endpoint-address.ts";
import { SHOWN_MAX, useEndpointSearch } from "./use-endpoint-search.ts";

/** One search over the current endpoints of all services. */
export default function EndpointSearchPage() {
  const [text, setText] = useUrlState("q");
  const { text: label } = useLabelFilter();
  const search = useEndpointSearch(text, { label, owner: useOwnerFilter() });
  return (
    <Stack>
      <div>
        <Breadcrumbs steps={[{ href: "/services", label: "Services" }]} />
        <Title order={1}>Endpoints of all services</Title>
      </div>
      <TextInput
        label="Search"
        description="Words of methods, paths and operations, or their beginnings, such as: get pay"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={ENDPOINT_SEARCH_MAX}
        maw={520}
        data-search
      />
      <FilterRow actions={<SavedViewsMenu />}>
        <OwnerFilter />
        <LabelFilter />
      </FilterRow>
      {search.isError && <ErrorAlert error={search.error} onRetry={() => void search.refetch()} />}
      {text.trim() !== "" && search.isSuccess && (
        <Found endpoints={search.data.endpoints} hasMore={search.data.nextCursor !== undefined} />
      )}
    </Stack>
  );
}

function Found({ endpoints, hasMore }: { endpoints: readonly FoundEndpoint[]; hasMore: boolean }) {
  return (
    <>
      <Group justify="space-between">
        <Text role="status" size="sm">
          {hasMore
            ? `The first ${SHOWN_MAX} endpoints. Add a word to find fewer.`
            : countOf(endpoints.length, "endpoints")}
        </Text>
        {endpoints.length > 0 && <ExportButtons name={["endpoints"]} fields={EXPORTED} rows={endpoints} />}
      </Group>
      {endpoints.length > 0 && (
        <ResponsiveTable>
          <thead>
            <tr>
              <th>Endpoint</th>
              <th>Service</th>
              <th>Operation</th>
            </tr>
          </thead>
          <tbody>
            {endpoints.map((endpoint, index) => (
              <FoundRow key={index} endpoint={endpoint} />
            ))}
          </tbody>
        </ResponsiveTable>
      )}
    </>
  );
}

const EXPORTED: ExportFields<FoundEndpoint> = {
  serviceId: ({ serviceId }) => serviceId,
  serviceName: ({ serviceName }) => serviceName,
  scanRunId: ({ scanRunId }) => scanRunId,
  method: ({ method }) => method,
  path: ({ path }) => path,
  operationId: ({ operationId }) => operationId,
  summary: ({ summary }) => summary,
  tags: ({ tags }) => tags,
  owner: ({ ownerTeam }) => ownerTeam?.slug ?? null,
};

function FoundRow({ endpoint }: { endpoint: FoundEndpoint }) {
  const { method, path, serviceId, serviceName, operationId, summary } = endpoint;
  return (
    <tr>
      <td className="breaks">
        <Code>{method}</Code>{" "}
        <Anchor component={Link} href={endpointAddress(endpoint.serviceId, endpoint)}>
          {path}
        </Anchor>
      </td>
      <td data-label="Service" className="breaks">
        <Anchor component={Link} href={`/services/${serviceId}`}>
          {serviceName}
        </Anchor>
        <OwnerName of={endpoint.ownerTeam} />
      </td>
      <td data-label="Operation" data-wide className="breaks">
        {[operationId, summary].filter(Boolean).join(": ") || "–"}
      </td>
    </tr>
  );
}
