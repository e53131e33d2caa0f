import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import { type OpenedText, openForEdits } from "@waymark/journey-authoring/edit/opened-text.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { withText } from "../text/text-history.ts";
import type { TextStore } from "../text/text-store.ts";
import type { VariantFields } from "./variant-fields.ts";

/** A reason why a text shows no journey. */
export interface Fault {
  message: string;
  /** The line of the text; undefined if another text has the fault. */
  line: number | undefined;
}

/** The journey that a text makes: its own, or that of a variant. */
export interface ShownJourney {
  /** Undefined together with a fault. */
  value: JsonObject | undefined;
  fault: Fault | undefined;
  /** The line of the text that has a value; undefined if another text has it. */
  lineOf: (pointer: Pointer) => number | undefined;
  /** The effects of a variant's text on the fields of its base. */
  fields: VariantFields | undefined;
}

/** Changes the text. One undo reverts one change. */
export interface VisualChanges {
  /** @returns why the command is refused; then nothing changes */
  run: (command: EditCommand) => Problem | undefined;
  /** Reverts a variant's removal of a target. Undefined for other journeys. */
  bringBack?: (target: string) => Problem | undefined;
}

export interface VisualEditor {
  show: (text: string) => ShownJourney;
  /** Loads the code that changes the text: it is as large as the view, and reading doesn't need it. */
  loadChanges: () => Promise<VisualChanges>;
}

/** Edits a journey in its own text. */
export function createVisualEditor(store: TextStore, { file }: { file: string }): VisualEditor {
  // The syntax tree of the last text is kept, because a command needs the tree that the view has.
  let last: OpenedText | undefined;
  const open = (text: string): OpenedText => {
    if (last?.text !== text) last = openForEdits(text, { file });
    return last;
  };
  return {
    show: (text) => {
      const { value, problems, positions } = open(text);
      const [fault] = problems;
      return {
        value: isObject(value) && fault === undefined ? value : undefined,
        fault,
        lineOf: (pointer) => sourceOf(positions, pointer).line,
        fields: undefined,
      };
    },
    loadChanges: async () => {
      const { editOpened } = await import("@waymark/journey-authoring/edit/edit-document.ts");
      return {
        run: (command) => {
          const result = editOpened(open(store.get().text), command);
          if (!result.ok) return result.problems[0];
          last = result.opened;
          store.update((history) => withText(history, result.text));
          return undefined;
        },
      };
    },
  };
}
