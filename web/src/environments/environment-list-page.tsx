import { Anchor, Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { Link, Redirect, useLocation } from "wouter";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { FilterRow } from "../lib/filters.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { TimeAgo } from "../lib/time.tsx";
import { onlyEnvironmentOf } from "../lib/permissions.ts";
import { useMay, useSession } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { NEW_ENVIRONMENT } from "./environment-form-values.ts";
import { useCreateEnvironment, useEnvironments } from "./use-environments.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";

const EnvironmentFormDialog = lazyDialog(
  async () => (await import("./environment-form-dialog.tsx")).EnvironmentFormDialog,
);

export default function EnvironmentListPage() {
  const { data: session } = useSession();
  const only = onlyEnvironmentOf(session ?? { scopes: [] }, "environments:read");
  return only === undefined ? <AllEnvironments /> : <Redirect to={`/environments/${only}`} replace />;
}

function AllEnvironments() {
  const environments = useEnvironments();
  const mayWrite = useMay("environments:write");
  const dialog = useUrlDialog("new");
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1}>Environments</Title>
        <Button onClick={() => dialog.open("yes")} disabled={!mayWrite}>
          Create an environment
        </Button>
      </Group>
      <LacksPermission permission="environments:write" purpose="create environments" />
      {environments.isPending && <Skeleton height={480} aria-label="Loading the environments" />}
      {environments.isLoadingError && (
        <ErrorAlert error={environments.error} onRetry={() => void environments.refetch()} />
      )}
      {environments.data !== undefined && <EnvironmentTable environments={environments.data} />}
      {dialog.value !== "" && mayWrite && <CreateDialog onClose={dialog.close} />}
    </Stack>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateEnvironment();
  const [, navigate] = useLocation();
  return (
    <EnvironmentFormDialog
      title="Create an environment"
      initial={NEW_ENVIRONMENT}
      saving={create}
      onSaved={({ id }) => navigate(`/environments/${id}`, { replace: true })}
      onClose={onClose}
    />
  );
}

function EnvironmentTable({ environments }: { environments: readonly Environment[] }) {
  if (environments.length === 0)
    return (
      <Text role="status">
        No environments yet. An environment says where journeys run in the cloud runner: on which servers,
        with which inputs and secrets.
      </Text>
    );
  return (
    <>
      <FilterRow actions={<ExportButtons name={["environments"]} fields={EXPORTED} rows={environments} />} />
      <ResponsiveTable>
        <thead>
          <tr>
            <th>Name</th>
            <th>Servers</th>
            <th>Changed</th>
          </tr>
        </thead>
        <tbody>
          {environments.map((environment) => (
            <tr key={environment.id}>
              <td className="breaks">
                <Group gap={6}>
                  <Anchor component={Link} href={`/environments/${environment.id}`} fw={600}>
                    {environment.name}
                  </Anchor>
                  {environment.protected && <Badge color="grape.9">protected</Badge>}
                </Group>
              </td>
              <td data-label="Servers" data-wide className="breaks">
                {Object.entries(environment.servers).map(([source, url]) => (
                  <div key={source}>
                    {source}: {url}
                  </div>
                ))}
                {Object.keys(environment.servers).length === 0 && "those of the descriptions"}
              </td>
              <td data-label="Changed">
                <TimeAgo at={environment.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </ResponsiveTable>
    </>
  );
}

const EXPORTED: ExportFields<Environment> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  protected: (environment) => environment.protected,
  servers: ({ servers }) => Object.entries(servers).map(([source, url]) => `${source}: ${url}`),
  allowedHosts: ({ allowedHosts }) => allowedHosts,
  storesBodies: ({ storesBodies }) => storesBodies,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
};
