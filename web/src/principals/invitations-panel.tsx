import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { Invitation } from "@waymark/shared/principals/invitations/schema.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { TimeAgo, TimeUntil } from "../lib/time.tsx";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog } from "../lib/use-url-state.ts";
import { describeGrant } from "./describe-role.ts";
import { useInvitations, useWithdrawInvitation } from "./use-people.ts";

const ConfirmDialog = lazyDialog(async () => (await import("../lib/confirm-dialog.tsx")).ConfirmDialog);

/** The invitations that nobody has accepted yet. @param props.onInvite invites again, by the id of the earlier invitation */
export function InvitationsPanel({ onInvite }: { onInvite: (invitationId: string) => void }) {
  const invitations = useInvitations();
  const mayManage = useMay("principals:manage");
  const withdrawing = useUrlDialog("withdraw");
  const withdrawn = invitations.data?.find(({ id }) => id === withdrawing.value);
  if (invitations.isPending) return <Skeleton height={160} aria-label="Loading the invitations" />;
  if (invitations.isLoadingError)
    return <ErrorAlert error={invitations.error} onRetry={() => void invitations.refetch()} />;
  return (
    <Stack>
      {invitations.data.length === 0 ? (
        <Text role="status">
          No open invitations. An accepted invitation becomes a person in the list of people.
        </Text>
      ) : (
        <ResponsiveTable>
          <thead>
            <tr>
              <th>E-mail</th>
              <th>Roles</th>
              <th>Invited</th>
              <th>Ends</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {invitations.data.map((invitation) => (
              <Row
                key={invitation.id}
                invitation={invitation}
                mayManage={mayManage}
                onAgain={() => onInvite(invitation.id)}
                onWithdraw={() => withdrawing.open(invitation.id)}
              />
            ))}
          </tbody>
        </ResponsiveTable>
      )}
      {withdrawn !== undefined && mayManage && (
        <WithdrawDialog invitation={withdrawn} onClose={withdrawing.close} />
      )}
    </Stack>
  );
}

function Row(props: {
  invitation: Invitation;
  mayManage: boolean;
  onAgain: () => void;
  onWithdraw: () => void;
}) {
  const { invitation, mayManage, onAgain, onWithdraw } = props;
  const { email, roles, createdAt, expiresAt } = invitation;
  return (
    <tr>
      <td className="breaks" style={{ fontWeight: 600 }}>
        {email}
      </td>
      <td data-label="Roles" data-wide className="breaks">
        {roles.map((grant, index) => (
          <div key={index}>{describeGrant(grant)}</div>
        ))}
      </td>
      <td data-label="Invited">
        <TimeAgo at={createdAt} />
      </td>
      <td data-label="Ends">
        <TimeUntil at={expiresAt} />
      </td>
      <td className="right">
        {mayManage && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button size="xs" variant="default" onClick={onAgain} aria-label={`New link for ${email}`}>
              New link…
            </Button>
            <Button size="xs" variant="default" onClick={onWithdraw} aria-label={`Withdraw ${email}`}>
              Withdraw…
            </Button>
          </Group>
        )}
      </td>
    </tr>
  );
}

function WithdrawDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const withdraw = useWithdrawInvitation();
  return (
    <ConfirmDialog
      title={`Withdraw the invitation of ${invitation.email}?`}
      action="Withdraw invitation"
      pending={withdraw.isPending}
      error={withdraw.error}
      onConfirm={() => withdraw.mutate(invitation.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      The link stops working at once.
    </ConfirmDialog>
  );
}
