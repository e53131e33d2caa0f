import { useState } from "react";
import { VisualView, type VisualViewProps } from "./visual-view.tsx";
import { createVisualEditor } from "./visual-editor.ts";

/** The steps of a journey that the text has itself. */
export function JourneySteps(props: VisualViewProps & { file: string }) {
  const { store, file } = props;
  const [editor] = useState(() => createVisualEditor(store, { file }));
  return <VisualView {...props} editor={editor} />;
}
