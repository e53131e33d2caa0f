import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { updateService } from "@waymark/shared/services/addresses.ts";
import { Service } from "@waymark/shared/services/schema.ts";
import { useState } from "react";
import { callApi } from "../lib/api.ts";
import { serviceQuery } from "../lib/api-queries.ts";
import { FormDialog } from "../lib/form-dialog.tsx";

/** Changes the default branch of a service. */
export function DefaultBranchDialog({ service, onClose }: { service: Service; onClose: () => void }) {
  const { defaultBranch, defaultBranchIsSet } = service;
  const [branch, setBranch] = useState(defaultBranchIsSet ? (defaultBranch ?? "") : "");
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      callApi(
        updateService,
        { params: { serviceId: service.id }, body: { defaultBranch: branch === "" ? null : branch } },
        { read: Service },
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: serviceQuery(service.id).queryKey });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Default branch"
      submitLabel="Save"
      request={change}
      failureTitle="Couldn't set the default branch"
      form={{ autoComplete: "off" }}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Branch"
        description="Leave empty for the branch that the scans of this service name. In a pipeline, only runs of the default branch become current; waymark.yaml and the CI system come first."
        placeholder={defaultBranchIsSet ? "" : (defaultBranch ?? "")}
        value={branch}
        onChange={(event) => setBranch(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </FormDialog>
  );
}
