import { Popover, Text } from "@mantine/core";
import { useLayoutEffect, useRef } from "react";
import classes from "./expression-list.module.css";
import type { ExpressionGroup } from "./in-scope.ts";

/** The list of expressions below a field, which keeps the focus. */
export function ExpressionList(props: {
  id: string;
  label: string;
  field: HTMLInputElement | null;
  groups: readonly ExpressionGroup[];
  /** The index of the highlighted option, through all groups. */
  active: number | undefined;
  onPick: (expression: string) => void;
}) {
  const { id, label, field, groups, active, onPick } = props;
  const starts = groups.map((_, at) => groups.slice(0, at).reduce((sum, { items }) => sum + items.length, 0));
  return (
    <Popover
      opened
      position="bottom-start"
      width="target"
      offset={4}
      withRoles={false}
      trapFocus={false}
      returnFocus={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target refProp="reference">
        <FieldAsTarget field={field} />
      </Popover.Target>
      {/* The field keeps the focus while the list is used, so that its text isn't sent yet. */}
      <Popover.Dropdown p={4} onMouseDown={(event) => event.preventDefault()}>
        {groups.length === 0 ? (
          <Text size="xs" c="dimmed" p={4} role="status">
            No expression matches. The field keeps what you typed.
          </Text>
        ) : (
          <div id={id} role="listbox" aria-label={`Expressions for ${label}`} className={classes["list"]}>
            {groups.map(({ group, items }, at) => (
              <div key={group} role="group" aria-label={group}>
                <div aria-hidden className={classes["group"]}>
                  {group}
                </div>
                {items.map((expression, index) => (
                  <Option
                    key={expression}
                    id={`${id}-${(starts[at] ?? 0) + index}`}
                    isActive={active === (starts[at] ?? 0) + index}
                    expression={expression}
                    onPick={onPick}
                  />
                ))}
              </div>
            ))}
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Option(props: {
  id: string;
  isActive: boolean;
  expression: string;
  onPick: (expression: string) => void;
}) {
  const { id, isActive, expression, onPick } = props;
  const option = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <div
      id={id}
      ref={option}
      role="option"
      aria-selected={isActive}
      className={classes["option"]}
      onClick={() => onPick(expression)}
    >
      {expression}
    </div>
  );
}

/** Gives the popover the field as its target. The field is not a child, so that it stays the same element while the list loads. */
function FieldAsTarget(props: {
  field: HTMLInputElement | null;
  reference?: (element: HTMLElement | null) => void;
}) {
  const { field, reference } = props;
  useLayoutEffect(() => {
    reference?.(field);
    return () => reference?.(null);
  }, [field, reference]);
  return null;
}
