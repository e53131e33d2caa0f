import { ActionIcon, TextInput, type TextInputProps } from "@mantine/core";
import { createContext, Suspense, useContext, useLayoutEffect, useRef, useState } from "react";
import { lazyPart } from "../../../lib/lazy-part.tsx";
import type { ExpressionGroup } from "./in-scope.ts";
import { insertExpression, type Range } from "./insert-expression.ts";

const ExpressionPicker = lazyPart(
  "The list of expressions",
  async () => (await import("./expression-picker.tsx")).ExpressionPicker,
);

/** What a field takes: a value that is sent, one that is read after the response, or such expressions as parts of a condition. */
export type Takes = "value" | "result" | "condition";

/** The expressions of the step whose form this is, or none. */
export const ExpressionsContext = createContext<(isAfterResponse: boolean) => ExpressionGroup[]>(() => []);

/**
 * A text field with a button that lists the expressions of its step. Ctrl and Space in the field open the list too, as in the text.
 *
 * @param props.onPick called with the field's whole new text
 */
export function ExpressionInput(
  props: TextInputProps & {
    label: string;
    value: string;
    takes: Takes | undefined;
    onPick: (text: string) => void;
  },
) {
  const { takes, onPick, ...field } = props;
  const expressionsOf = useContext(ExpressionsContext);
  const input = useRef<HTMLInputElement>(null);
  const [replaced, setReplaced] = useState<Range>();
  const caret = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (replaced !== undefined || caret.current === undefined) return;
    input.current?.focus();
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  }, [replaced]);
  if (takes === undefined || field.readOnly === true) return <TextInput {...field} />;
  const open = () => {
    const { selectionStart, selectionEnd } = input.current ?? {};
    const end = field.value.length;
    setReplaced(
      takes === "condition" ? { from: selectionStart ?? end, to: selectionEnd ?? end } : { from: 0, to: end },
    );
  };
  const close = (at: number) => {
    caret.current = at;
    setReplaced(undefined);
  };
  const text = (
    <TextInput
      {...field}
      ref={input}
      onKeyDown={(event) => {
        if (event.ctrlKey && event.key === " ") open();
        else field.onKeyDown?.(event);
      }}
      rightSection={
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label={`Pick an expression for ${field.label}`}
          title="Pick an expression"
          // The field keeps the focus, so that what is typed in it isn't sent yet.
          onMouseDown={(event) => event.preventDefault()}
          onClick={open}
        >
          $
        </ActionIcon>
      }
    />
  );
  if (replaced === undefined) return text;
  return (
    <Suspense fallback={text}>
      <ExpressionPicker
        label={`Expression for ${field.label}`}
        description={field.description}
        className={field.className ?? ""}
        groups={expressionsOf(takes !== "value")}
        onPick={(expression) => {
          const next = insertExpression(field.value, replaced, expression);
          onPick(next.text);
          close(next.caret);
        }}
        onEscape={() => close(replaced.to)}
        onLeave={() => setReplaced(undefined)}
      />
    </Suspense>
  );
}
