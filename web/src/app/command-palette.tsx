import { Anchor, Modal, Text, TextInput } from "@mantine/core";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import classes from "./command-palette.module.css";
import type { Target } from "./find-targets.ts";
import { useTargets } from "./use-targets.ts";

/** Goes to anything by a part of its name. */
export function CommandPalette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  // Enter was pressed before anything was found: the first result opens when it arrives.
  const [isAwaited, setAwaited] = useState(false);
  const { targets, isComplete, isPartial } = useTargets(text);
  const [, navigate] = useLocation();
  const id = useId();
  useReturnFocus();
  const selected = Math.min(chosen, targets.length - 1);
  const open = (target: Target | undefined) => {
    if (target === undefined) return;
    onClose();
    navigate(target.href);
  };
  const awaited = isAwaited ? targets[0] : undefined;
  useEffect(() => {
    if (awaited !== undefined) open(awaited);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys that choose a word of an input method don't choose a page.
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && targets.length > 0)
      setChosen((selected + step + targets.length) % targets.length);
    else if (event.key === "Enter") {
      setAwaited(targets.length === 0);
      open(targets[selected]);
    } else return;
    event.preventDefault();
  };
  return (
    <Modal opened onClose={onClose} title="Go to" size="lg">
      <TextInput
        label="Name of a page, view, service, journey, rule, team, person, key or endpoint"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
          setAwaited(false);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded={targets.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={targets.length > 0 ? `${id}-${selected}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        data-autofocus
      />
      <ul role="listbox" id={`${id}-list`} aria-label="Found" className={classes["targets"]}>
        {targets.map((target, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the field's
          <li
            key={`${target.kind} ${target.label} ${target.href}`}
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === selected}
            className={`${classes["target"]} breaks`}
            onClick={() => open(target)}
          >
            <span>{target.label}</span> <span className={classes["kind"]}>{target.kind}</span>
          </li>
        ))}
      </ul>
      {targets.length === 0 && !(isComplete && isPartial) && (
        <Text size="sm" role="status">
          {isComplete ? "Nothing was found." : "Searching…"}
        </Text>
      )}
      {isComplete && isPartial && (
        <Text size="sm" role="status">
          Not everything could be searched: there may be more.
        </Text>
      )}
      <Text size="sm" mt="md">
        <Anchor component="button" type="button" onClick={onShortcuts}>
          Keyboard shortcuts
        </Anchor>
      </Text>
    </Modal>
  );
}
