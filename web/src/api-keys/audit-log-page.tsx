import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import type { AuditEvent } from "@waymark/shared/audit/schema.ts";
import { Link } from "wouter";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LoadMore } from "../lib/load-more.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { ChoiceFilter, FilterRow } from "../lib/filters.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { usePrincipals } from "../lib/use-principals.ts";
import { useMay } from "../lib/use-session.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { withChosen } from "../lib/with-chosen.ts";
import { ACTIONS, describeActor, describeDetails, runOf } from "./describe-event.ts";
import { EXPORTED_EVENT } from "./exported-fields.ts";
import { useApiKeys } from "./use-api-keys.ts";
import { useAuditEvents } from "./use-audit-events.ts";

const ACTION_CHOICES = Object.entries(ACTIONS).map(([value, label]) => ({ value, label }));

/** The page of the audit log: changes with their actors, and refused requests. */
export default function AuditLogPage() {
  const mayReadKeys = useMay("api-keys:read");
  const mayReadPeople = useMay("principals:read");
  const [action, setAction] = useUrlState("action");
  const [by, setBy] = useUrlState("by");
  const [about, setAbout] = useUrlState("about");
  const [person, setPerson] = useUrlState("person");
  const events = useAuditEvents({ action, by, about, person });
  const { data: people = [] } = usePrincipals({ enabled: mayReadPeople });
  const persons = people.map(({ id, displayName }) => ({ value: id, label: displayName }));
  // The keys have the names of actors. Without them the ids are shown.
  const { data: keys = [], isLoading: areKeysLoading } = useApiKeys({ enabled: mayReadKeys });
  const choices = keys.map((key) => ({ value: key.id, label: `${key.name} (${key.prefix}…)` }));
  return (
    <Stack>
      <div>
        <Breadcrumbs steps={[{ href: "/api-keys", label: "API keys" }]} />
        <Title order={1}>Audit log</Title>
      </div>
      <FilterRow
        actions={<ExportButtons name={["audit-log"]} fields={EXPORTED_EVENT} rows={events.data ?? []} />}
      >
        <ChoiceFilter label="Action" value={action} values={ACTION_CHOICES} onChange={setAction} />
        {(mayReadPeople || person !== "") && (
          <ChoiceFilter
            label="By person"
            value={person}
            values={withChosen(persons, person)}
            onChange={setPerson}
          />
        )}
        <ChoiceFilter label="By key" value={by} values={withChosen(choices, by)} onChange={setBy} />
        <ChoiceFilter
          label="About key"
          value={about}
          values={withChosen(choices, about)}
          onChange={setAbout}
        />
      </FilterRow>
      {/* The table waits for the names: ids in their place would move it. */}
      {(events.isPending || areKeysLoading) && <Skeleton height={480} aria-label="Loading the audit log" />}
      {events.isLoadingError && <ErrorAlert error={events.error} onRetry={() => void events.refetch()} />}
      {events.data !== undefined && !areKeysLoading && <EventTable events={events.data} keys={keys} />}
      <LoadMore pages={events} label="Load older events" size="sm" />
    </Stack>
  );
}

function EventTable({ events, keys }: { events: readonly AuditEvent[]; keys: readonly ApiKey[] }) {
  if (events.length === 0) return <Text role="status">No event matches these filters.</Text>;
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return (
    <ResponsiveTable>
      <thead>
        <tr>
          <th>Action</th>
          <th>When</th>
          <th style={{ minWidth: "8rem" }}>By</th>
          <th>About</th>
          <th>Details</th>
          <th style={{ minWidth: "9rem" }}>From</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <EventRow key={event.id} event={event} names={names} />
        ))}
      </tbody>
    </ResponsiveTable>
  );
}

function EventRow({ event, names }: { event: AuditEvent; names: ReadonlyMap<string, string> }) {
  const nameOf = (id: string) => names.get(id) ?? id;
  const { apiKeyId, address } = event;
  const run = runOf(event);
  return (
    <tr>
      <td style={{ fontWeight: 600 }}>{ACTIONS[event.action]}</td>
      <td data-label="When">
        <TimeAgo at={event.createdAt} />
      </td>
      <td data-label="By" className="breaks">
        {describeActor(event, nameOf)}
        {run !== undefined && (
          <>
            {", "}
            <Anchor component={Link} href={run}>
              in a run
            </Anchor>
          </>
        )}
      </td>
      <td data-label="About" className="breaks">
        {apiKeyId === null ? "–" : nameOf(apiKeyId)}
      </td>
      <td data-label="Details" data-wide className="breaks">
        {describeDetails(event) || "–"}
      </td>
      <td data-label="From" className="breaks">
        {address ?? "–"}
      </td>
    </tr>
  );
}
