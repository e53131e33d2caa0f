import { ActionIcon, Code, CopyButton, Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** A list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes["facts"]}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="breaks">{children}</dd>
    </>
  );
}

/** A long value on one line, with the full value as its title and a button to copy it. */
export function Copyable({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code className="truncated" title={value}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            onClick={copy}
            aria-label={copied ? "Copied" : `Copy ${what}`}
          >
            <svg
              width="14"
              height="14"
              viewBox="0 0 16 16"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
              aria-hidden
            >
              {copied ? <path d="m3 8.5 3.5 3.5L13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM2.5 10.5v-8h8" />}
            </svg>
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}
