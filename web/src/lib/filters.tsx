import { Select, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./filters.module.css";

/** A row of filters above a table, with the number of matching rows. */
export function Filters({ children, shown, total }: { children: ReactNode; shown: number; total: number }) {
  return (
    <div className={classes["filters"]}>
      {children}
      <Text role="status" size="sm" className={classes["count"] ?? ""}>
        {shown.toLocaleString()} of {total.toLocaleString()}
      </Text>
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
    />
  );
}

export function ChoiceFilter(props: {
  label: string;
  value: string;
  values: readonly string[];
  onChange: (value: string) => void;
}) {
  const { label, value, values, onChange } = props;
  return (
    <Select
      label={label}
      placeholder="All"
      data={[...values]}
      value={value === "" ? null : value}
      onChange={(next) => onChange(next ?? "")}
      clearable
      searchable={values.length > 10}
      clearButtonProps={{ "aria-label": `Show every ${label.toLowerCase()}` }}
      className={classes["choice"] ?? ""}
    />
  );
}
