import { Code, Modal, Stack, Text } from "@mantine/core";
import type { TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { useState } from "react";
import { ConfirmDialog } from "../../lib/confirm-dialog.tsx";
import { CopyTextButton } from "../../lib/copy-text-button.tsx";
import { serverAddress } from "../../lib/base-path.ts";
import { useReturnFocus } from "../../lib/use-return-focus.ts";
import { useSession } from "../../lib/use-session.ts";
import { offeredBy } from "../../lib/permission-choice/offered.ts";
import { firstPermissions } from "../../lib/permission-choice/presets.ts";
import { CI_SYSTEMS, ciSystemOf, isCiSystem } from "./ci-systems.ts";
import { PolicyFormDialog } from "./policy-form-dialog.tsx";
import { formOf, newPolicy } from "./policy-form.ts";
import { useCreateTrustPolicy, useDeleteTrustPolicy, useReplaceTrustPolicy } from "./use-trust-policies.ts";

interface DialogProps {
  policy: TrustPolicy;
  onClose: () => void;
}

/** @param props.system the CI system that is selected first */
export function CreatePolicyDialog(props: {
  system: string;
  onCreated: (policy: TrustPolicy) => void;
  onClose: () => void;
}) {
  const { system, onCreated, onClose } = props;
  const create = useCreateTrustPolicy();
  const { data: session } = useSession();
  const permissions = firstPermissions(offeredBy(session), "ci-scan");
  return (
    <PolicyFormDialog
      title="Create a trust policy"
      initial={newPolicy(isCiSystem(system) ? system : "github", permissions)}
      ownAudience={serverAddress()}
      saving={create}
      onSaved={onCreated}
      onClose={onClose}
    />
  );
}

export function ChangePolicyDialog({ policy, onClose }: DialogProps) {
  // Not a later revision that the list has after a refusal: saving again would undo what somebody else has changed.
  const [opened] = useState(policy);
  const replace = useReplaceTrustPolicy(opened);
  return (
    <PolicyFormDialog
      title={<span className="breaks">Change {opened.name}</span>}
      initial={formOf(opened, { ownAudience: serverAddress() })}
      ownAudience={serverAddress()}
      isChange
      saving={replace}
      onSaved={onClose}
      onClose={onClose}
    />
  );
}

export function DeletePolicyDialog({ policy, onClose }: DialogProps) {
  const remove = useDeleteTrustPolicy(policy.id);
  return (
    <ConfirmDialog
      title={`Delete ${policy.name}?`}
      action="Delete policy"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      The keys that it has issued, and the keys that these created, fail from the next request on. Builds that
      need the policy get no keys. This can't be undone.
    </ConfirmDialog>
  );
}

/** Shows how a build gets its token for a policy. */
export function UsePolicyDialog({ policy, onClose }: DialogProps) {
  useReturnFocus();
  const system = CI_SYSTEMS[ciSystemOf(policy.issuer, Object.keys(policy.conditions))];
  const snippet = system.snippet({ apiUrl: serverAddress(), audience: policy.audience }).join("\n");
  return (
    <Modal opened onClose={onClose} size="lg" title={<span className="breaks">{policy.name}</span>}>
      <Stack align="flex-start">
        <Text size="sm">
          Let the build have a token. The command finds it and exchanges it for a key; a variable with a key
          is no longer needed. In the job ({system.label}):
        </Text>
        <Code block tabIndex={0} w="100%">
          {snippet}
        </Code>
        <CopyTextButton value={snippet} label="Copy the lines" />
        <Text size="sm">
          If the build gets no key, <Code>waymark doctor</Code> in the same job shows what its token says and
          which condition fails.
        </Text>
      </Stack>
    </Modal>
  );
}
