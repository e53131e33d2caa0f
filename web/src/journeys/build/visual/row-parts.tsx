import { ActionIcon, Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./step-form.module.css";

export function AddButton(props: { isReadOnly: boolean; onAdd: () => void; children: string }) {
  if (props.isReadOnly) return null;
  return (
    <Button size="xs" variant="default" onClick={props.onAdd} w="fit-content">
      {props.children}
    </Button>
  );
}

export function RemoveButton(props: { label: string; isReadOnly: boolean; onRemove: () => void }) {
  if (props.isReadOnly) return null;
  return (
    <ActionIcon
      variant="default"
      size={30}
      aria-label={props.label}
      onClick={props.onRemove}
      className={classes["button"] ?? ""}
    >
      ✕
    </ActionIcon>
  );
}

export function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" className={`breaks ${classes["note"] ?? ""}`}>
      {children}
    </Text>
  );
}
