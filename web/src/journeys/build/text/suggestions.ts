import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import { completionsAt, type KnownNames } from "./completion.ts";
import { definitionAt } from "./definition.ts";
import { type Names, namesIn } from "./names.ts";

/** Offers names and keys while typing, and moves to where a name is declared with F12, or a click with Ctrl or ⌘. */
export function suggestions(operationsOf: () => KnownNames["operations"]): Extension {
  let last: Names = namesIn(undefined);
  const complete = (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString();
    const { value, problems } = parseText(text, { file: "" });
    // While a line is typed, the text often can't be read: the names are those of the last one that could.
    if (problems.length === 0) last = namesIn(value);
    const found = completionsAt(text, context.pos, { ...last, operations: operationsOf() });
    if (found === undefined || (!context.explicit && found.from === context.pos)) return null;
    const { from, options, isValidFor } = found;
    return { from, options, validFor: isValidFor };
  };
  return [
    autocompletion({ override: [complete], icons: false }),
    Prec.high(
      keymap.of([{ key: "F12", run: (view) => goToDefinition(view, view.state.selection.main.head) }]),
    ),
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        const at = event.ctrlKey || event.metaKey ? view.posAtCoords(event) : null;
        if (at === null || !goToDefinition(view, at)) return false;
        event.preventDefault();
        return true;
      },
    }),
  ];
}

function goToDefinition(view: EditorView, offset: number): boolean {
  const text = view.state.doc.toString();
  const { value, positions } = parseText(text, { file: "" });
  const pointer = definitionAt(text, offset, namesIn(value));
  if (pointer === undefined) return false;
  const { line, column } = sourceOf(positions, pointer);
  const anchor = view.state.doc.line(line).from + column - 1;
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  return true;
}
