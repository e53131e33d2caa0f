import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { useOriginNote } from "./origin.tsx";

/** A field with few values. Each choice is one change. */
export function ChoiceField(props: {
  data: NonNullable<NativeSelectProps["data"]>;
  label: string;
  value: string;
  pointer?: Pointer;
  isReadOnly: boolean;
  onChoose: (value: string) => void;
}) {
  const { label, value, pointer, isReadOnly, data, onChoose } = props;
  const note = useOriginNote(pointer, label);
  return (
    <NativeSelect
      label={label}
      description={note}
      size="xs"
      value={value}
      disabled={isReadOnly}
      data={data}
      onChange={(event) => onChoose(event.currentTarget.value)}
    />
  );
}
