import { Alert, Text } from "@mantine/core";
import { composeText } from "@waymark/journeys/overlay/compose-text.ts";
import { compose } from "@waymark/journey-authoring/variant/compose.ts";
import { useMemo, useSyncExternalStore } from "react";
import { NumberedText } from "../../document/numbered-text.tsx";
import { TextDifference } from "../../text-difference/text-difference.tsx";
import type { TextStore } from "../text/text-store.ts";
import type { Fault } from "../visual/visual-editor.ts";
import { type BaseTexts, parseBase } from "./base-texts.ts";
import { createVariantEditor } from "./variant-editor.ts";

interface Composed {
  /** The journey below this variant. */
  before: string;
  /** Undefined together with a fault. */
  after: string | undefined;
  fault: Fault | undefined;
}

/** The journey that the variant makes, written anew: no file holds it. */
function useComposed({ store, file, texts }: ComposedProps): Composed {
  const { text } = useSyncExternalStore(store.subscribe, store.get);
  const below = useMemo(() => parseBase(texts), [texts]);
  const editor = useMemo(() => createVariantEditor(store, { below, file }), [store, below, file]);
  return useMemo(() => {
    const lower = compose(below);
    const { value, fault } = editor.show(text);
    return {
      before: lower.ok ? composeText(lower.composed.value) : "",
      after: value && composeText(value),
      fault,
    };
  }, [below, editor, text]);
}

export interface ComposedProps {
  store: TextStore;
  file: string;
  texts: BaseTexts;
}

/** The composed journey, for reading. */
export function ComposedText(props: ComposedProps) {
  const { after, fault } = useComposed(props);
  if (after === undefined) return <NotComposed fault={fault} />;
  return (
    <section aria-label="Composed journey">
      <Text size="sm" mb="xs">
        The base with this variant applied, written anew: no file holds it. It is what runs.
      </Text>
      <NumberedText text={after} label="Composed text" />
    </section>
  );
}

/** Shows line by line how the variant changes the journey that it is built on. */
export function VariantDifference(props: ComposedProps) {
  const { before, after, fault } = useComposed(props);
  if (after === undefined) return <NotComposed fault={fault} />;
  return (
    <section aria-label="Difference from the base">
      <Text size="sm" mb="xs">
        What this variant changes of {props.texts.overlays.at(-1)?.path ?? props.texts.journey.path}. Both are
        written anew, so comments and layout are left out.
      </Text>
      <TextDifference before={before} after={after} label="Changed lines of the journey" />
    </section>
  );
}

function NotComposed({ fault }: { fault: Fault | undefined }) {
  return (
    <Alert color="yellow" role="alert" title="The variant can't be applied to its base">
      {fault?.message}
      {fault?.line !== undefined && ` See line ${fault.line} of the text.`}
    </Alert>
  );
}
