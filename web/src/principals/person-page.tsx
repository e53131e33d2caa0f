import { Alert, Anchor, Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Principal } from "@waymark/shared/principals/schema.ts";
import { Link } from "wouter";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { Fact, Facts } from "../lib/facts.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { Time, TimeAgo } from "../lib/time.tsx";
import { useMay, useSession } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { StateBadge } from "./people-panel.tsx";
import { RoleGrantsSection } from "./role-grants-section.tsx";
import { useGrantRole, usePrincipal, useTakeRole } from "./use-people.ts";

const load = () => import("./person-dialogs.tsx");
const RenameDialog = lazyDialog(async () => (await load()).RenameDialog);
const ChangeStateDialog = lazyDialog(async () => (await load()).ChangeStateDialog);

/** The page of a user or a service account. */
export default function PersonPage({ principalId }: { principalId: string }) {
  const principal = usePrincipal(principalId);
  if (principal.isPending) return <Skeleton height={480} aria-label="Loading the person" />;
  if (principal.isLoadingError)
    return <ErrorAlert error={principal.error} onRetry={() => void principal.refetch()} />;
  return (
    <Stack gap="lg">
      <title>{`${principal.data.displayName} · Waymark`}</title>
      <Head principal={principal.data} />
      <About principal={principal.data} />
      {principal.data.type === "user" ? (
        <RolesOfUser principal={principal.data} />
      ) : (
        <Text size="sm">A service account has no roles: what it may do is in its keys.</Text>
      )}
    </Stack>
  );
}

function RolesOfUser({ principal }: { principal: Principal }) {
  const grant = useGrantRole(principal.id);
  const take = useTakeRole(principal.id);
  return (
    <RoleGrantsSection
      name={principal.displayName}
      roleGrants={principal.roleGrants}
      grant={grant}
      take={take}
      none={
        principal.teams.length > 0
          ? "No roles besides those of the teams."
          : "No roles. Without a role, a user sees nothing but their own keys."
      }
    />
  );
}

function Head({ principal }: { principal: Principal }) {
  const { data: session } = useSession();
  const mayManage = useMay("principals:manage");
  const renaming = useUrlDialog("rename");
  const changing = useUrlDialog("state");
  const isDisabled = principal.disabledAt !== null;
  const isOwn = session?.principal?.id === principal.id;
  return (
    <div>
      <Breadcrumbs
        steps={[
          principal.type === "user"
            ? { href: "/people", label: "People" }
            : { href: "/people?tab=service-accounts", label: "Service accounts" },
        ]}
      />
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={1} className="breaks">
            {principal.displayName}
          </Title>
          <StateBadge principal={principal} />
          {isOwn && <Badge color="blue.8">you</Badge>}
        </Group>
        {mayManage && (
          <Group gap="xs">
            <Button variant="default" onClick={() => renaming.open("1")}>
              Rename
            </Button>
            <Button variant="default" onClick={() => changing.open("1")}>
              {isDisabled ? "Enable…" : "Disable…"}
            </Button>
          </Group>
        )}
      </Group>
      <LacksPermission permission="principals:manage" purpose="change people or their roles" />
      {renaming.value !== "" && mayManage && <RenameDialog principal={principal} onClose={renaming.close} />}
      {changing.value !== "" && mayManage && (
        <ChangeStateDialog principal={principal} isOwn={isOwn} onClose={changing.close} />
      )}
    </div>
  );
}

function About({ principal }: { principal: Principal }) {
  const mayReadKeys = useMay("api-keys:read");
  const mayCreateKeys = useMay("api-keys:create");
  const mayAudit = useMay("audit:read");
  const { id, type, email, teams, disabledAt, lastSeenAt, createdAt } = principal;
  return (
    <>
      {disabledAt !== null && (
        <Alert color="grape" title="Disabled">
          Since <Time at={disabledAt} />, every request with a key of {principal.displayName} is refused.
        </Alert>
      )}
      <Facts>
        {email !== null && <Fact name="E-mail">{email}</Fact>}
        {teams.length > 0 && (
          <Fact name="Teams">
            {teams.map((team, index) => (
              <span key={team.id}>
                {index > 0 && ", "}
                <Anchor component={Link} href={`/teams/${team.id}`}>
                  {team.displayName}
                </Anchor>
              </span>
            ))}
          </Fact>
        )}
        <Fact name="Last seen">{lastSeenAt === null ? "never" : <TimeAgo at={lastSeenAt} />}</Fact>
        <Fact name={type === "user" ? "Joined" : "Created"}>
          <Time at={createdAt} />
        </Fact>
        {mayReadKeys && (
          <Fact name="Keys">
            <Anchor component={Link} href={`/api-keys?owner=${id}`}>
              keys of {principal.displayName}
            </Anchor>
            {type === "service_account" && mayCreateKeys && disabledAt === null && (
              <>
                {", "}
                <Anchor component={Link} href={`/api-keys?new=ci-scan&for=${id}`}>
                  create a key
                </Anchor>
              </>
            )}
          </Fact>
        )}
        {mayAudit && (
          <Fact name="Audit log">
            <Anchor component={Link} href={`/audit-log?person=${id}`}>
              what {principal.displayName} did
            </Anchor>
          </Fact>
        )}
      </Facts>
    </>
  );
}
