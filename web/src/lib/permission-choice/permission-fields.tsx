import { Checkbox, Radio, SimpleGrid } from "@mantine/core";
import { useState } from "react";
import { EVERYTHING } from "./offered.ts";
import { describePermission, type Preset, presetOf, presetsFrom } from "./presets.ts";

/** Chooses permissions: a preset, or each by itself. */
export function PermissionFields(props: {
  offered: readonly string[];
  /** Default: those for keys. Presets with other permissions than the offered ones are left out. */
  presets?: readonly Preset[];
  presetsLabel?: string;
  value: string[];
  onChange: (permissions: string[]) => void;
}) {
  const { offered, presetsLabel = "Purpose", value, onChange } = props;
  const presets = presetsFrom(offered, props.presets);
  // It stays closed for a preset, whose purpose says enough.
  const [isOpen, setOpen] = useState(() => presetOf(value, presets) === undefined);
  return (
    <>
      {presets.length > 0 && (
        <Radio.Group
          label={presetsLabel}
          value={presetOf(value, presets) ?? ""}
          onChange={(id) => onChange([...(presets.find((preset) => preset.id === id)?.permissions ?? [])])}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
            {presets.map(({ id, label, description }) => (
              <Radio key={id} value={id} label={label} description={description} />
            ))}
          </SimpleGrid>
        </Radio.Group>
      )}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Permissions: {describeChosen(value)}</summary>
        <Checkbox.Group
          aria-label="Permissions"
          description="You can grant only permissions your key has."
          value={value}
          onChange={onChange}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt="xs">
            {offered.map((permission) => (
              <Checkbox
                key={permission}
                value={permission}
                label={permission === EVERYTHING ? "everything" : permission}
                description={describePermission(permission)}
              />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      </details>
    </>
  );
}

/** The permissions in one line. */
function describeChosen(permissions: readonly string[]): string {
  if (permissions.includes(EVERYTHING)) return "everything";
  return permissions.length === 0 ? "none" : permissions.join(", ");
}
