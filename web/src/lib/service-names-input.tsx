import { TagsInput } from "@mantine/core";
import { useServiceNames } from "./use-service-names.ts";

/** A field for names of services, or beginnings of names, to which something is limited. */
export function ServiceNamesInput(props: {
  value: readonly string[];
  onChange: (names: string[]) => void;
  error?: string | undefined;
}) {
  const { value, onChange, error } = props;
  return (
    <TagsInput
      label="Only for these services"
      description="Service names or prefixes (payments-*). Leave empty for all."
      data={useServiceNames()}
      value={[...value]}
      onChange={onChange}
      error={error}
      clearable
      clearButtonProps={{ "aria-label": "Allow all services" }}
    />
  );
}
