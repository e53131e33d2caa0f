import { Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { EnvironmentDetails } from "@waymark/shared/environments/schema.ts";
import type { z } from "zod";
import { useLocation } from "wouter";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { valuesOf } from "./environment-form-values.ts";
import { EnvironmentSettings } from "./environment-settings.tsx";
import { ReleasesSection } from "./releases-section.tsx";
import { SecretsSection } from "./secrets-section.tsx";
import { useDeleteEnvironment, useEnvironment, useReplaceEnvironment } from "./use-environments.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";

const ConfirmDialog = lazyDialog(async () => (await import("../lib/confirm-dialog.tsx")).ConfirmDialog);
const EnvironmentFormDialog = lazyDialog(
  async () => (await import("./environment-form-dialog.tsx")).EnvironmentFormDialog,
);

export type EnvironmentWithReleases = z.infer<typeof EnvironmentDetails>;

export default function EnvironmentPage({ environmentId }: { environmentId: string }) {
  const environment = useEnvironment(environmentId);
  if (environment.isPending) return <Skeleton height={640} aria-label="Loading the environment" />;
  if (environment.isLoadingError)
    return <ErrorAlert error={environment.error} onRetry={() => void environment.refetch()} />;
  return (
    <Stack gap="lg">
      <title>{`${environment.data.name} · Waymark`}</title>
      <Head environment={environment.data} />
      <EnvironmentSettings environment={environment.data} />
      <SecretsSection environmentId={environmentId} />
      <ReleasesSection environment={environment.data} />
    </Stack>
  );
}

function Head({ environment }: { environment: EnvironmentWithReleases }) {
  const mayWrite = useMay("environments:write");
  const edit = useUrlDialog("edit");
  const remove = useUrlDialog("delete");
  return (
    <div>
      <Breadcrumbs steps={[{ href: "/environments", label: "Environments" }]} />
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={1} className="breaks">
            {environment.name}
          </Title>
          {environment.protected && (
            <Badge color="grape.9" size="lg">
              protected
            </Badge>
          )}
        </Group>
        <Group gap="xs">
          <Button variant="default" disabled={!mayWrite} onClick={() => edit.open("yes")}>
            Change settings
          </Button>
          <Button variant="default" disabled={!mayWrite} onClick={() => remove.open("yes")}>
            Delete…
          </Button>
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        Revision {environment.revision}, <TimeAgo at={environment.updatedAt} />
      </Text>
      <LacksPermission permission="environments:write" purpose="change or delete this environment" />
      {edit.value !== "" && mayWrite && <EditDialog environment={environment} onClose={edit.close} />}
      {remove.value !== "" && mayWrite && <DeleteDialog environment={environment} onClose={remove.close} />}
    </div>
  );
}

interface DialogProps {
  environment: EnvironmentWithReleases;
  onClose: () => void;
}

function EditDialog({ environment, onClose }: DialogProps) {
  const replace = useReplaceEnvironment(environment);
  return (
    <EnvironmentFormDialog
      title="Change settings"
      initial={valuesOf(environment)}
      saving={replace}
      onSaved={onClose}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ environment, onClose }: DialogProps) {
  const remove = useDeleteEnvironment(environment.id);
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title={`Delete ${environment.name}?`}
      action="Delete environment"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, { onSuccess: () => navigate("/environments", { replace: true }) })
      }
      onClose={onClose}
    >
      Its settings, secrets and releases are deleted. Nobody can read the secrets again. While runs or
      schedules name it, it can't be deleted.
    </ConfirmDialog>
  );
}
