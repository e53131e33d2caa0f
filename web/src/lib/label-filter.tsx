import { TextInput } from "@mantine/core";
import { parseLabelSelector, type WantedLabel } from "@waymark/shared/services/labels/schema.ts";
import { useState } from "react";
import classes from "./filters.module.css";
import { useUrlState } from "./use-url-state.ts";

/** The labels that the URL filters services by: as text, and as the labels that services must have. */
export function useLabelFilter(): { text: string; wanted: readonly WantedLabel[] } {
  const [text] = useUrlState("label");
  const wanted = text === "" ? [] : parseLabelSelector(text);
  return wanted === undefined ? { text: "", wanted: [] } : { text, wanted };
}

/** Filters services by their labels. A text that is no list of labels stays in the field, and filters nothing. */
export function LabelFilter() {
  const [stored, setStored] = useUrlState("label");
  const [typed, setTyped] = useState({ stored, text: stored });
  // A link or Back may have replaced what is stored.
  const text = typed.stored === stored ? typed.text : stored;
  const isWrong = text !== "" && parseLabelSelector(text) === undefined;
  return (
    <TextInput
      label="Label"
      placeholder="team=payments"
      value={text}
      onChange={({ currentTarget: { value } }) => {
        const isFilter = value === "" || parseLabelSelector(value) !== undefined;
        setTyped({ stored: isFilter ? value : stored, text: value });
        if (isFilter) setStored(value);
      }}
      error={isWrong && "Write key=value, or key"}
      className={classes["choice"] ?? ""}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
