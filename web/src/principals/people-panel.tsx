import { Anchor, Badge, Button, Stack, Text } from "@mantine/core";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { useState } from "react";
import { Link } from "wouter";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { SortHeader } from "../lib/sort-header.tsx";
import { sortingOf } from "../lib/sorting.ts";
import type { ExportFields } from "../lib/table-export.ts";
import { Time, TimeAgo } from "../lib/time.tsx";
import { useSession } from "../lib/use-session.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { describeGrant } from "./describe-role.ts";
import { filterPeople, PRINCIPAL_STATES, stateOf } from "./filter-people.ts";

/** The number of rows that are added to the page at a time: an organization may have 5,000 people. */
const ROWS = 200;

const WORDS = {
  user: { search: "Name, e-mail or role", none: "No person matches these filters." },
  service_account: {
    search: "Name",
    none: "No service accounts, or none that matches these filters.",
  },
} as const;

/** A list of users, or of service accounts. */
export function PeoplePanel(props: { principals: readonly Principal[]; type: Principal["type"] }) {
  const { principals, type } = props;
  const [text, setText] = useUrlState("q");
  const [state, setState] = useUrlState("state");
  const [chosenRole, setRole] = useUrlState("role");
  const [order, setOrder] = useUrlState("sort");
  const [rows, setRows] = useState(ROWS);
  const ofUsers = type === "user";
  // Service accounts have no roles, and the address may have one from the list of people.
  const role = ofUsers ? chosenRole : "";
  const all = principals.filter((one) => one.type === type);
  const shown = filterPeople(principals, { type, text, state, role }, order);
  const roles = [
    ...new Set(all.flatMap(({ roleGrants }) => roleGrants.map((grant) => grant.role))),
  ].toSorted();
  return (
    <Stack>
      <Filters
        shown={shown.length}
        total={all.length}
        actions={
          <ExportButtons name={[ofUsers ? "people" : "service-accounts"]} fields={EXPORTED} rows={shown} />
        }
      >
        <SearchFilter placeholder={WORDS[type].search} value={text} onChange={setText} />
        <ChoiceFilter label="State" value={state} values={PRINCIPAL_STATES} onChange={setState} />
        {ofUsers && <ChoiceFilter label="Role" value={role} values={roles} onChange={setRole} />}
      </Filters>
      <ResponsiveTable>
        <Head ofUsers={ofUsers} order={order} onOrder={setOrder} />
        <tbody>
          {shown.slice(0, rows).map((principal) => (
            <Row key={principal.id} principal={principal} />
          ))}
        </tbody>
      </ResponsiveTable>
      {shown.length === 0 && <Text role="status">{WORDS[type].none}</Text>}
      {shown.length > rows && (
        <Button variant="default" w="fit-content" onClick={() => setRows(rows + ROWS)}>
          Show {Math.min(ROWS, shown.length - rows)} more
        </Button>
      )}
    </Stack>
  );
}

function Head(props: { ofUsers: boolean; order: string; onOrder: (order: string) => void }) {
  const { ofUsers, order, onOrder } = props;
  const sorted = (id: string, label: string) => {
    const sorting = sortingOf(order, id);
    return (
      <th aria-sort={sorting.sorted ?? "none"}>
        <SortHeader label={label} sorted={sorting.sorted} onSort={() => onOrder(sorting.next)} />
      </th>
    );
  };
  return (
    <thead>
      <tr>
        {sorted("name", "Name")}
        {sorted("state", "State")}
        {ofUsers && <th>Roles</th>}
        {sorted("seen", "Last seen")}
        <th>{ofUsers ? "Joined" : "Created"}</th>
      </tr>
    </thead>
  );
}

function Row({ principal }: { principal: Principal }) {
  const { data: session } = useSession();
  const { id, type, displayName, email, roleGrants, lastSeenAt, createdAt } = principal;
  return (
    <tr>
      <td className="breaks">
        <Anchor component={Link} href={`/people/${id}`} fw={600}>
          {displayName}
        </Anchor>{" "}
        {session?.principal?.id === id && <Badge color="blue.8">you</Badge>}
        {email !== null && (
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        )}
      </td>
      <td data-label="State">
        <StateBadge principal={principal} />
      </td>
      {type === "user" && (
        <td data-label="Roles" data-wide className="breaks">
          {roleGrants.length === 0
            ? "none"
            : roleGrants.map((grant) => <div key={grant.id}>{describeGrant(grant)}</div>)}
        </td>
      )}
      <td data-label="Last seen">{lastSeenAt === null ? "never" : <TimeAgo at={lastSeenAt} />}</td>
      <td data-label={type === "user" ? "Joined" : "Created"}>
        <Time at={createdAt} day />
      </td>
    </tr>
  );
}

export function StateBadge({ principal }: { principal: Principal }) {
  const state = stateOf(principal);
  return <Badge color={state === "active" ? "teal.9" : "grape.9"}>{state}</Badge>;
}

const EXPORTED: ExportFields<Principal> = {
  id: ({ id }) => id,
  type: ({ type }) => type,
  displayName: ({ displayName }) => displayName,
  email: ({ email }) => email,
  state: stateOf,
  roles: ({ roleGrants }) => roleGrants.map(describeGrant),
  lastSeenAt: ({ lastSeenAt }) => lastSeenAt,
  createdAt: ({ createdAt }) => createdAt,
};
