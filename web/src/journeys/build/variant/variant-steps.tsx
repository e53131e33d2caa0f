import { useMemo } from "react";
import { VisualView, type VisualViewProps } from "../visual/visual-view.tsx";
import { type BaseTexts, parseBase } from "./base-texts.ts";
import { createVariantEditor } from "./variant-editor.ts";

/** The steps of a variant. A change of them becomes an action of the overlay, whose text the store has. */
export function VariantSteps(props: VisualViewProps & { file: string; texts: BaseTexts }) {
  const { store, file, texts } = props;
  // Anew when the base is another text: somebody may save it meanwhile.
  const editor = useMemo(
    () => createVariantEditor(store, { below: parseBase(texts), file }),
    [store, file, texts],
  );
  return <VisualView {...props} editor={editor} />;
}
