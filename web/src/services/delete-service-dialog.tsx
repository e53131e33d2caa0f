import { Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteService } from "@waymark/shared/services/addresses.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useState } from "react";
import { useLocation } from "wouter";
import { callApi } from "../lib/api.ts";
import { FormDialog } from "../lib/form-dialog.tsx";

/** Deletes a service, after its name was typed. */
export function DeleteServiceDialog({ service, onClose }: { service: Service; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => callApi(deleteService, { params: { serviceId: service.id }, query: { name: typed } }),
    onSuccess: async () => {
      navigate("/services", { replace: true });
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "service" });
    },
  });
  return (
    <FormDialog
      title="Delete the service for ever?"
      submitLabel="Delete service"
      request={deletion}
      failureTitle="Couldn't delete the service"
      isDisabled={typed !== service.name}
      form={{ autoComplete: "off" }}
      onSubmit={() => deletion.mutate()}
      onClose={onClose}
    >
      <Text size="sm" className="breaks">
        All scans, changes, approvals and the badge of {service.name} are deleted, and nobody can restore
        them. The next scan under one of its names creates a new service. To hide it only, archive it in its
        settings.
      </Text>
      <TextInput
        label="Name of the service"
        description={`Type ${service.name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </FormDialog>
  );
}
