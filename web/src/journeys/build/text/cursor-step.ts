import type { Extension } from "@codemirror/state";
import { type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { stepAtLine } from "./step-line.ts";

/** The whole text is read for it, so it waits until the cursor rests. */
const REST_MS = 200;

/**
 * Calls `onStep` with the step whose lines the user moved the cursor to. Lines outside of steps, and moves that follow
 * a step selected in another view, cause no call.
 *
 * @param textOf the text whose lines the editor shows
 */
export function cursorStep(textOf: () => string, onStep: (stepId: string) => void): Extension {
  return ViewPlugin.define((view: EditorView) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      const { head } = view.state.selection.main;
      const stepId = stepAtLine(textOf(), view.state.doc.lineAt(head).number);
      if (stepId !== undefined) onStep(stepId);
    };
    return {
      update: ({ selectionSet, transactions }: ViewUpdate) => {
        if (!selectionSet) return;
        clearTimeout(timer);
        if (transactions.some((transaction) => transaction.isUserEvent("select")))
          timer = setTimeout(tell, REST_MS);
      },
      destroy: () => clearTimeout(timer),
    };
  });
}
