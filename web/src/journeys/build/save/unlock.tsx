import { Checkbox } from "@mantine/core";

/** Lets the user change a document that a repository owns. */
export function Unlock(props: { isUnlocked: boolean; onChange: (isUnlocked: boolean) => void }) {
  return (
    <Checkbox
      label="Change it here, for one version. The repository stays its owner: change it there too, or the next push undoes this."
      checked={props.isUnlocked}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}
