import { TextInput, type TextInputProps } from "@mantine/core";

/** A field for a whole number, whose value is the text as it was typed. `parseWholeNumber` reads it. */
// Mantine's NumberInput formats the text that it is given. When two digits arrive between two renders of Preact, it and the
// state of the form correct each other for ever, and the page hangs.
export function WholeNumberInput(
  props: Omit<TextInputProps, "value" | "onChange"> & {
    value: string;
    onChange: (text: string) => void;
  },
) {
  const { onChange, ...others } = props;
  return (
    <TextInput
      {...others}
      inputMode="numeric"
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
