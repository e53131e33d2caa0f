import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { ConfirmDialog } from "../../lib/confirm-dialog.tsx";
import { useRevokeKey } from "../use-api-keys.ts";

/** Asks before a user's own key is revoked. @param props.isCurrent true for the key of this session */
export function RevokeOwnKeyDialog(props: { apiKey: ApiKey; isCurrent: boolean; onClose: () => void }) {
  const { apiKey, isCurrent, onClose } = props;
  const revoke = useRevokeKey();
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name}?`}
      action="Revoke key"
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={() =>
        revoke.mutate({ id: isCurrent ? "self" : apiKey.id, children: false }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      Requests with this key fail immediately. This can't be undone.
      {isCurrent && " You are signed in with this key, so you will be signed out."}
    </ConfirmDialog>
  );
}
