import { Button, Code, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import type { CreatedServiceBadge, ServiceBadge } from "@waymark/shared/services/badges/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { CopyTextButton } from "../lib/copy-text-button.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { RequestError } from "../lib/request-error.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { useCloseWhenIdle } from "../lib/use-close-when-idle.ts";
import { useKeyNames } from "../lib/use-key-names.ts";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { useMay } from "../lib/use-session.ts";
import { markdownOf } from "./badge-markdown.ts";
import { badgeKey, useBadge, useCreateBadge, useDeleteBadge } from "./use-badge.ts";

/** Creates, replaces and deletes the service's badge. Its address is shown once, when it is created. */
export function BadgeDialog({ service, ...props }: { service: Service; onClose: () => void }) {
  const badge = useBadge(service.id);
  const create = useCreateBadge(service.id);
  const remove = useDeleteBadge(service.id);
  const mayChange = useMay("services:update");
  const onClose = useCloseWhenIdle(badgeKey(service.id), props.onClose);
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} title="Badge" size="lg">
      <Stack>
        <Text size="sm">
          An image for a README or a wiki that shows the status of this service: passing, critical findings,
          not promoted or failed. Everybody with its address can see it, without an account.
        </Text>
        {badge.isPending && <Skeleton height={60} aria-label="Loading the badge" />}
        {badge.isLoadingError && <ErrorAlert error={badge.error} onRetry={() => void badge.refetch()} />}
        {create.data === undefined ? (
          badge.data !== undefined && <BadgeState badge={badge.data.badge} />
        ) : (
          <NewBadge service={service} created={create.data} />
        )}
        {create.isError && <RequestError title="Couldn't create the badge" error={create.error} />}
        {remove.isError && <RequestError title="Couldn't delete the badge" error={remove.error} />}
        {badge.data !== undefined && (
          <Group>
            {create.data === undefined && (
              <Button loading={create.isPending} disabled={!mayChange} onClick={() => create.mutate()}>
                {badge.data.badge === null ? "Create badge" : "Replace badge"}
              </Button>
            )}
            {badge.data.badge !== null && (
              <Button
                variant="default"
                loading={remove.isPending}
                disabled={!mayChange}
                onClick={() => remove.mutate(undefined, { onSuccess: () => create.reset() })}
              >
                Delete badge
              </Button>
            )}
          </Group>
        )}
        {!mayChange && (
          <Text size="sm" c="dimmed">
            Your key lacks services:update, so it can't create or delete badges.
          </Text>
        )}
      </Stack>
    </Modal>
  );
}

function BadgeState({ badge }: Pick<ServiceBadge, "badge">) {
  const names = useKeyNames();
  if (badge === null) return <Text>This service has no badge.</Text>;
  const name = names?.get(badge.createdByKeyId);
  return (
    <Text className="breaks">
      Created <TimeAgo at={badge.createdAt} />
      {name !== undefined && ` by key ${name}`}. Waymark can't show its address again. If it is lost, replace
      the badge: the old address then stops working.
    </Text>
  );
}

function NewBadge({ service, created }: { service: Service; created: CreatedServiceBadge }) {
  const { pathname, search } = new URL(created.url);
  const markdown = markdownOf({
    badge: created.url,
    serviceName: service.name,
    page: globalThis.location.href,
  });
  return (
    <Stack gap="xs">
      {/* The image has no host, because the page may have another of the server's addresses than links have. */}
      <img src={pathname + search} alt="The badge" height={20} style={{ alignSelf: "flex-start" }} />
      <Text size="sm">Copy this now: Waymark stores only a hash of the address and can't show it again.</Text>
      <Code block className="wraps">
        {markdown}
      </Code>
      <Group gap="xs">
        <CopyTextButton value={markdown} label="Copy Markdown" />
        <CopyTextButton value={created.url} label="Copy address" />
      </Group>
    </Stack>
  );
}
