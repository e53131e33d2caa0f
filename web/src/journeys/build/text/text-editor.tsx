import { defaultKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension, Text } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useComputedColorScheme } from "@mantine/core";
import { INVISIBLE_CHARACTER, showInvisible } from "@waymark/shared/lib/invisible.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { useEffect, useRef } from "react";
import { styleNonce } from "../../../lib/style-nonce.ts";
import { type EditorChange, editorText, ownChange } from "./line-breaks.ts";
import type { KnownNames } from "./completion.ts";
import { cursorStep } from "./cursor-step.ts";
import { suggestions } from "./suggestions.ts";
import { lineOfStep, stepAtLine } from "./step-line.ts";
import classes from "./text-editor.module.css";
import { changeBetween, redone, undone, withTyped } from "./text-history.ts";
import type { TextStore } from "./text-store.ts";

export interface TextEditorProps {
  store: TextStore;
  label: string;
  isReadOnly: boolean;
  problems: readonly Problem[];
  /** The operations that a journey can name. Undefined for documents that are no journeys, for which nothing is offered. */
  operations: KnownNames["operations"] | undefined;
  /** The line to show and move the cursor to, each time it is another object. */
  reveal: { line: number } | undefined;
  /** The step that is open in the other view: the text shows its line. */
  step: string;
  /** The cursor was moved into the lines of a step. */
  onStep: (stepId: string) => void;
}

/** The text of the store in CodeMirror. Undo and redo are the store's, so that all views share them. */
export function TextEditor(props: TextEditorProps) {
  const { store, label, isReadOnly, problems, operations, reveal, step } = props;
  const holder = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const known = useRef(operations);
  const atStep = useRef(props.onStep);
  atStep.current = props.onStep;
  const isJourney = operations !== undefined;
  const isDark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";

  useEffect(() => {
    known.current = operations;
  }, [operations]);

  useEffect(() => {
    const parent = holder.current;
    if (parent === null) return undefined;
    const extensions = [
      isJourney ? suggestions(() => known.current ?? []) : [],
      isJourney
        ? cursorStep(
            () => store.get().text,
            (stepId) => atStep.current(stepId),
          )
        : [],
      extensionsFor(store, { label, isReadOnly }),
    ];
    const view = new EditorView({ parent, doc: editorText(store.get().text), extensions });
    editor.current = view;
    const stop = store.subscribe(() => showText(view, store.get().text));
    return () => {
      stop();
      view.destroy();
      editor.current = null;
    };
  }, [store, label, isReadOnly, isJourney]);

  useEffect(() => {
    editor.current?.dispatch({ effects: SCHEME.reconfigure(EditorView.darkTheme.of(isDark)) });
  }, [isDark, store, label, isReadOnly, isJourney]);

  useEffect(() => {
    const view = editor.current;
    if (view !== null) view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, problems)));
  }, [problems, store, label, isReadOnly, isJourney]);

  useEffect(() => {
    if (editor.current !== null) showStep(editor.current, store.get().text, step);
  }, [store, step]);

  useEffect(() => {
    if (editor.current === null || reveal === undefined) return;
    showLine(editor.current, reveal.line);
    editor.current.focus();
  }, [reveal]);

  return <div ref={holder} className={classes["editor"]} />;
}

function showStep(view: EditorView, text: string, stepId: string): void {
  const line = lineOfStep(text, stepId);
  if (line === undefined) return;
  const { head } = view.state.selection.main;
  // It may be selected because the cursor is there, which then stays.
  if (stepAtLine(text, view.state.doc.lineAt(head).number) === stepId)
    view.dispatch({ effects: EditorView.scrollIntoView(head) });
  else showLine(view, line);
}

function showLine(view: EditorView, line: number): void {
  const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
}

const SCHEME = new Compartment();
/** Marks what comes from the store, so that it isn't written back. */
const FROM_STORE = Annotation.define<boolean>();

function extensionsFor(
  store: TextStore,
  { label, isReadOnly }: { label: string; isReadOnly: boolean },
): Extension[] {
  const undo = () => (store.update(undone), true);
  const redo = () => (store.update(redone), true);
  return [
    EditorView.cspNonce.of(styleNonce()),
    SCHEME.of([]),
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-readonly": String(isReadOnly),
      tabindex: "0",
    }),
    lineNumbers(),
    foldGutter({ markerDOM: foldMarker }),
    lintGutter(),
    highlightActiveLine(),
    INVISIBLE,
    search({ top: true }),
    yaml(),
    syntaxHighlighting(HIGHLIGHTS),
    THEME,
    isReadOnly
      ? []
      : keymap.of([
          { key: "Mod-z", run: undo },
          { key: "Mod-Shift-z", run: redo },
          { key: "Mod-y", run: redo },
        ]),
    TYPED_OVER,
    keymap.of([...defaultKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap]),
    EditorView.updateListener.of((update) => writeTyped(store, update)),
  ];
}

/** Invisible characters in the words of the rest of the console, each as a widget over the one character of the text. */
const INVISIBLE = highlightSpecialChars({
  specialChars: new RegExp(`(?!\t)${INVISIBLE_CHARACTER}`, "gu"),
  render(code, description) {
    const shown = document.createElement("span");
    shown.className = "cm-specialChar";
    shown.textContent = showInvisible(String.fromCodePoint(code));
    shown.title = description ?? "";
    return shown;
  },
});

/** A browser that replaces a selection sets an inline style, which the content security policy blocks. */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { state } = view;
    if (inputType !== "insertText" || data === null || state.selection.main.empty || state.readOnly)
      return false;
    const replaced = state.replaceSelection(data);
    view.dispatch(state.update(replaced, { userEvent: "input.type", scrollIntoView: true }));
    return true;
  },
});

function foldMarker(open: boolean): HTMLElement {
  const marker = document.createElement("span");
  marker.textContent = open ? "⌄" : "›";
  marker.title = open ? "Fold" : "Unfold";
  return marker;
}

function writeTyped(store: TextStore, { docChanged, transactions, changes, state, view }: ViewUpdate): void {
  if (!docChanged || transactions.some((transaction) => transaction.annotation(FROM_STORE) === true)) return;
  const made: EditorChange[] = [];
  changes.iterChanges((from, to, _newFrom, _newTo, inserted) =>
    made.push({ from, to, insert: inserted.toString() }),
  );
  store.update((history) => {
    const change = ownChange(history.text, made);
    return change === undefined ? history : withTyped(history, change);
  });
  if (editorText(store.get().text) !== state.doc.toString()) showText(view, store.get().text);
}

function showText(view: EditorView, text: string): void {
  const change = changeBetween(view.state.doc.toString(), editorText(text));
  if (change === undefined) return;
  const { at, removed, inserted } = change;
  view.dispatch({
    changes: { from: at, to: at + removed.length, insert: Text.of(inserted.split("\n")) },
    annotations: FROM_STORE.of(true),
  });
}

function diagnosticsOf({ doc }: EditorState, problems: readonly Problem[]): Diagnostic[] {
  return problems.map(({ line, column, severity, message, code }) => {
    const at = doc.line(Math.min(line, doc.lines));
    const from = Math.min(at.from + column - 1, at.to);
    const word = /^[^\s,:\]}]+/.exec(at.text.slice(from - at.from))?.[0] ?? "";
    return { from, to: from + word.length, severity, message, source: code };
  });
}

const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-text)" },
  { tag: [tags.comment, tags.meta], color: "var(--mantine-color-dimmed)" },
  { tag: [tags.labelName, tags.typeName, tags.keyword], color: "var(--code-name)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--mantine-font-size-sm)", color: "var(--mantine-color-text)" },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--mantine-color-text)" },
  ".cm-gutters": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-dimmed)",
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--mantine-color-default-hover)" },
  ".cm-tooltip, .cm-panels": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
    borderColor: "var(--mantine-color-default-border)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mantine-font-family-monospace)",
    border: "1px solid var(--mantine-color-default-border)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--mantine-primary-color-filled)",
    color: "var(--mantine-color-white)",
  },
  ".cm-completionDetail": { color: "inherit" },
  ".cm-tooltip-lint": { maxWidth: "40rem", border: "1px solid var(--mantine-color-default-border)" },
  ".cm-diagnosticSource": { opacity: "1", color: "var(--mantine-color-dimmed)" },
});
