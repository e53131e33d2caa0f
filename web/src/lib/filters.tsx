import { Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./filters.module.css";
import { Select } from "./select.tsx";
import { LOCALE } from "./locale.ts";

/**
 * A row of filters above a table, with the number of matching rows, and what can be done with them.
 *
 * @param props.shown undefined until all rows are there
 */
export function Filters(props: {
  children: ReactNode;
  shown: number | undefined;
  total: number;
  actions?: ReactNode;
}) {
  const { children, shown, total, actions } = props;
  return (
    <FilterRow actions={actions}>
      {children}
      <Text role="status" size="sm" className={classes["count"] ?? ""}>
        {shown === undefined
          ? `Loading all ${total.toLocaleString(LOCALE)}`
          : `${shown.toLocaleString(LOCALE)} of ${total.toLocaleString(LOCALE)}`}
      </Text>
    </FilterRow>
  );
}

/** A row of filters, with actions for the rows that they find. */
export function FilterRow({ children, actions }: { children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={classes["filters"]}>
      {children}
      {actions !== undefined && <div className={classes["actions"]}>{actions}</div>}
    </div>
  );
}

export function SearchFilter(props: {
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { placeholder, value, onChange } = props;
  return (
    <TextInput
      label="Search"
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      className={classes["search"] ?? ""}
      // The shortcut "/" moves the focus to this field.
      data-search
    />
  );
}

export function ChoiceFilter(props: {
  label: string;
  value: string;
  /** The choices: texts, or values that have another text. */
  values: readonly (string | { value: string; label: string })[];
  onChange: (value: string) => void;
  /** Called when the list is opened, before its choices may be there. */
  onOpen?: () => void;
}) {
  const { label, value, values, onChange, onOpen } = props;
  return (
    <Select
      {...(onOpen !== undefined && { onDropdownOpen: onOpen })}
      label={label}
      placeholder="All"
      data={values}
      value={value === "" ? null : value}
      onChange={(next) => onChange(next ?? "")}
      clearable
      searchable={values.length > 10}
      clearButtonProps={{ "aria-label": `Show every ${label.toLowerCase()}` }}
      className={classes["choice"] ?? ""}
    />
  );
}
