import type { Pointer } from "@waymark/openapi/pointer.ts";
import { type KeyboardEvent, type ReactNode, Suspense, useId, useState } from "react";
import { lazyPart } from "../../../lib/lazy-part.tsx";
import { ExpressionInput, type Takes } from "../expressions/expression-input.tsx";
import { useOriginNote } from "./origin.tsx";
import type { AfterChange } from "./visual-actions.ts";

const Textarea = lazyPart("The field for long texts", async () => (await import("./long-text.ts")).Textarea);

/** A value that was typed in a field and is not in the journey's text yet. */
interface Typed {
  text: string;
  state: "typed" | "sent" | "refused";
}

/**
 * A text field that makes one change when it loses the focus or Enter is pressed. Escape restores the old text. The
 * typed text stays if the change is refused.
 */
export function CommitField(props: {
  label: string;
  value: string;
  /** The place of the value in the journey that is shown. */
  pointer?: Pointer;
  onCommit: (value: string, after: AfterChange) => void;
  isReadOnly: boolean;
  isLong?: boolean;
  className?: string;
  focusName?: string;
  /** A description of valid values. */
  hint?: string | undefined;
  /** Values to choose from; others can be typed too. */
  options?: readonly string[] | undefined;
  /** The field offers the expressions of its step. */
  takes?: Takes | undefined;
}) {
  const { label, value, onCommit, isReadOnly } = props;
  const [last, setTyped] = useState<Typed>();
  const typed = last?.text === value ? undefined : last;
  const note = useOriginNote(props.pointer, label);
  const listId = useId();
  const isLong = props.isLong === true || value.includes("\n");
  const commit = () => {
    if (typed !== undefined && typed.state !== "sent") send(typed.text);
  };
  const send = (text: string) => {
    const sent: Typed = { text, state: "sent" };
    setTyped(sent);
    onCommit(sent.text, {
      onEnd: (isMade) => {
        const after: Typed | undefined = isMade ? undefined : { text: sent.text, state: "refused" };
        setTyped((now) => (now === sent ? after : now));
      },
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter and Escape of an input method end its word, not the change.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") setTyped(undefined);
    if (event.key === "Enter" && (!isLong || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      commit();
    }
  };
  const field = {
    label,
    description: describe(props.hint, note),
    value: typed?.text ?? value,
    error: typed?.state === "refused" && "Not changed. Escape brings back what the text has.",
    readOnly: isReadOnly,
    onBlur: () => {
      if (typed?.state === "typed") commit();
    },
    onKeyDown,
    size: "xs",
    className: props.className ?? "",
    "data-focus": props.focusName,
    spellCheck: false,
  } as const;
  if (isLong)
    return (
      <Suspense>
        <Textarea
          {...field}
          rows={Math.min(12, (typed?.text ?? value).split("\n").length)}
          onChange={(event) => setTyped({ text: event.currentTarget.value, state: "typed" })}
        />
      </Suspense>
    );
  return (
    <>
      <ExpressionInput
        {...field}
        takes={props.takes}
        // A condition has more than one expression.
        onPick={props.takes === "condition" ? (text) => setTyped({ text, state: "typed" }) : send}
        list={props.options === undefined ? undefined : listId}
        onChange={(event) => setTyped({ text: event.currentTarget.value, state: "typed" })}
      />
      {props.options !== undefined && (
        <datalist id={listId}>
          {props.options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  );
}

function describe(hint: string | undefined, note: ReactNode): ReactNode {
  if (hint === undefined || note === undefined) return hint ?? note;
  return (
    <>
      {hint} {note}
    </>
  );
}
