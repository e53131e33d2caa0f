import { Select } from "@mantine/core";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { exactFirst } from "../../../lib/exact-first.ts";
import type { ExpressionGroup } from "./in-scope.ts";

/** The list of expressions in the place of a field, searched while typing. */
export function ExpressionPicker(props: {
  label: string;
  description: ReactNode;
  className: string;
  groups: ExpressionGroup[];
  onPick: (expression: string) => void;
  onEscape: () => void;
  onLeave: () => void;
}) {
  const { label, description, className, groups, onPick, onEscape, onLeave } = props;
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <Select
      label={label}
      description={description}
      className={className}
      size="xs"
      data={groups}
      value={null}
      placeholder="Search"
      searchable
      selectFirstOptionOnChange
      filter={exactFirst}
      ref={input}
      defaultDropdownOpened
      maxDropdownHeight={320}
      nothingFoundMessage="No expression has this name. Escape leads back to the field."
      onChange={(expression) => {
        if (expression !== null) onPick(expression);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onEscape();
      }}
      onBlur={onLeave}
    />
  );
}
