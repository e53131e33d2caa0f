import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core";
import {
  createContext,
  type KeyboardEvent,
  Suspense,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { lazyPart } from "../../../lib/lazy-part.tsx";
import type { ExpressionGroup } from "./in-scope.ts";
import { insertExpression } from "./insert-expression.ts";
import { useExpressionList } from "./use-expression-list.ts";

const ExpressionList = lazyPart(
  "The list of expressions",
  async () => (await import("./expression-list.tsx")).ExpressionList,
);

/** The kind of a field: a value that is sent, one that is read after the response, or a condition. */
export type Takes = "value" | "result" | "condition";

/** The expressions of the step whose form this is, or none. */
export const ExpressionsContext = createContext<(isAfterResponse: boolean) => ExpressionGroup[]>(() => []);

interface Props extends TextInputProps {
  label: string;
  value: string;
  takes: Takes | undefined;
  /** Called with the field's whole new text. */
  onPick: (text: string) => void;
}

/** A text field that offers the expressions of its step, if it takes any. */
export function ExpressionInput({ takes, onPick, ...field }: Props) {
  if (takes === undefined || field.readOnly === true) return <TextInput {...field} />;
  return <ExpressionCombobox {...field} takes={takes} onPick={onPick} />;
}

/**
 * A text field with a button that lists the expressions of its step below it. Ctrl and Space in the field open the list
 * too, as in the text. Typing searches the list and stays in the field. Enter takes the highlighted expression, Tab
 * takes one only if the arrow keys led to it, and Escape closes the list.
 */
function ExpressionCombobox({ takes, onPick, ...field }: Props & { takes: Takes }) {
  const expressionsOf = useContext(ExpressionsContext);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const { list, open, close, search, move } = useExpressionList(field.value, () =>
    expressionsOf(takes !== "value"),
  );
  const [caret, setCaret] = useState<{ at: number }>();
  useLayoutEffect(() => {
    if (caret !== undefined) input.current?.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  const openBy = (by: "button" | "keys") => {
    const { selectionStart, selectionEnd } = input.current ?? {};
    const end = field.value.length;
    open(
      takes === "condition" ? { from: selectionStart ?? end, to: selectionEnd ?? end } : { from: 0, to: end },
    );
    if (by === "keys") return;
    input.current?.focus();
    // Typing replaces a whole value.
    if (takes !== "condition") input.current?.select();
  };
  const pick = (expression: string, { goesOn = false } = {}) => {
    if (list === undefined) return;
    const next = insertExpression(field.value, list.range, expression);
    onPick(next.text);
    close();
    if (!goesOn) setCaret({ at: next.caret });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    // The field ignores keys that choose a word of an input method.
    if (event.nativeEvent.isComposing) return;
    if (event.ctrlKey && event.key === " ") {
      event.preventDefault();
      openBy("keys");
    } else if (list === undefined) field.onKeyDown?.(event);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && list.highlighted !== undefined) {
      event.preventDefault();
      pick(list.highlighted);
    } else if (event.key === "Tab" && list.chosen !== undefined) pick(list.chosen, { goesOn: true });
    else {
      if (event.key === "Enter" || event.key === "Escape") close();
      if (event.key !== "Escape") field.onKeyDown?.(event);
    }
  };
  const hasOptions = list !== undefined && list.groups.length > 0;
  return (
    <>
      <TextInput
        {...field}
        ref={input}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={hasOptions}
        aria-controls={hasOptions ? listId : undefined}
        aria-activedescendant={list?.active === undefined ? undefined : `${listId}-${list.active}`}
        autoComplete="off"
        onKeyDown={onKeyDown}
        onChange={(event) => {
          search();
          field.onChange?.(event);
        }}
        onBlur={(event) => {
          close();
          field.onBlur?.(event);
        }}
        rightSection={
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            aria-label={`Pick an expression for ${field.label}`}
            title="Pick an expression"
            // The field keeps the focus, so that its text isn't sent yet.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => (list === undefined ? openBy("button") : close())}
          >
            $
          </ActionIcon>
        }
      />
      {list !== undefined && (
        <Suspense>
          <ExpressionList
            id={listId}
            label={field.label}
            field={input.current}
            groups={list.groups}
            active={list.active}
            onPick={pick}
          />
        </Suspense>
      )}
    </>
  );
}
