import { GrantRoleRequest, type RoleGrant } from "@waymark/shared/principals/roles/schema.ts";
import { Select, Stack, Text } from "@mantine/core";
import { ServiceNamesInput } from "../lib/service-names-input.tsx";
import { describeRole } from "./describe-role.ts";
import { useMay } from "../lib/use-session.ts";
import { useTeams } from "../lib/use-teams.ts";
import { useRoles } from "./use-people.ts";

/** A role and its limit, as a form has it: no names stand for everything. */
export interface RoleChoice {
  role: string;
  services: readonly string[];
  /** The slug of the team whose services it is for. */
  ownedBy: string | null;
}

/** The role that allows least. */
export const FIRST_CHOICE: RoleChoice = { role: "viewer", services: [], ownedBy: null };

/** Returns the choice that a role with its limit was. */
export function choiceOf({
  role,
  serviceNames,
  ownedBy,
}: Pick<RoleGrant, "role" | "serviceNames" | "ownedBy">): RoleChoice {
  return { role, services: serviceNames ?? [], ownedBy };
}

/** Returns what a request has for the choice. */
export function grantOf({ role, services, ownedBy }: RoleChoice): GrantRoleRequest {
  return { role, serviceNames: services.length === 0 ? null : [...services], ownedBy };
}

/** Returns what is wrong with the names of services; undefined if nothing is. */
export function problemOf(choice: RoleChoice): string | undefined {
  const issue = GrantRoleRequest.safeParse(grantOf(choice)).error?.issues.find(({ path }) =>
    path.includes("serviceNames"),
  );
  if (issue === undefined) return undefined;
  const name = choice.services[Number(issue.path.at(-1))];
  return name === undefined ? issue.message : `${name} ${issue.message}`;
}

/** Chooses a role, for everything or for services by their names. */
export function RoleFields(props: { value: RoleChoice; onChange: (value: RoleChoice) => void }) {
  const { value, onChange } = props;
  const { data: roles = [] } = useRoles();
  const mayReadTeams = useMay("services:read");
  const { data } = useTeams(mayReadTeams);
  const teams = data?.teams ?? [];
  const chosen = roles.find(({ name }) => name === value.role);
  return (
    <Stack gap="xs">
      <Select
        label="Role"
        description={chosen === undefined ? "" : describeRole(chosen)}
        data={roles.map(({ name }) => name)}
        value={value.role}
        onChange={(role) => onChange({ ...value, role: role ?? FIRST_CHOICE.role })}
        allowDeselect={false}
        inputWrapperOrder={["label", "input", "description", "error"]}
      />
      {value.ownedBy === null && (
        <ServiceNamesInput
          value={value.services}
          onChange={(services) => onChange({ ...value, services })}
          error={problemOf(value)}
        />
      )}
      {value.services.length === 0 && (teams.length > 0 || value.ownedBy !== null) && (
        <Select
          label="Only for the services of this team"
          description="Those that it owns at the time of a request. Leave empty for no such limit."
          data={teams.map(({ slug, displayName }) => ({ value: slug, label: displayName }))}
          value={value.ownedBy}
          onChange={(ownedBy) => onChange({ ...value, ownedBy })}
          searchable={teams.length > 10}
          clearable
          clearButtonProps={{ "aria-label": "Choose no team" }}
        />
      )}
      {(value.services.length > 0 || value.ownedBy !== null) && (
        <Text size="sm" c="dimmed">
          Journeys and environments belong to no service, so a role with this limit doesn't include them.
        </Text>
      )}
    </Stack>
  );
}
