import { Badge, Button } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./coverage.module.css";

/** Shows the filter of a table, and removes it on click. */
export function LimitedBy({ name, onClear }: { name: string; onClear: () => void }) {
  return (
    <Button
      variant="default"
      size="xs"
      maw="100%"
      w="fit-content"
      onClick={onClear}
      aria-label={`${name}. Show all`}
      rightSection={<span aria-hidden>✕</span>}
    >
      <span className="truncated">{name}</span>
    </Button>
  );
}

/** The text of a row that selects it. */
export function SelectRow(props: {
  isSelected: boolean;
  onSelect: () => void;
  title: string;
  children: ReactNode;
}) {
  const { isSelected, onSelect, title, children } = props;
  return (
    <button
      type="button"
      className={`opens ${classes["opens"]}`}
      aria-pressed={isSelected}
      title={title}
      onClick={onSelect}
    >
      {children}
    </button>
  );
}

export function StateBadge({
  state: { label, color, why },
}: {
  state: { label: string; color: string; why: string };
}) {
  return (
    <Badge color={color} size="sm" title={why}>
      {label}
    </Badge>
  );
}
