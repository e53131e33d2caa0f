import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { TextStore } from "../text/text-store.ts";
import { rebase } from "./rebase.ts";
import type { AfterChange } from "./visual-actions.ts";
import type { Fault, VisualChanges, VisualEditor } from "./visual-editor.ts";

/** A command, or the removal that a variant takes back. */
export type Change = EditCommand | { op: "bringBack"; target: string };

const NOT_LOADED: Fault = {
  message:
    "What changes the steps could not be loaded. Check the connection and try again. If that fails too, save the text and reload the page.",
  line: undefined,
};
const GONE: Fault = {
  message: "A change before this one removed what it changes.",
  line: undefined,
};

/** A change that the user requested, and the journey that was shown then. */
interface Wanted {
  change: Change;
  /** True if the value that it changes does not exist any more. */
  isGone?: boolean;
  shown: JsonObject | undefined;
  end: (refused: Fault | undefined) => void;
}

/** The loaded code of each editor. Once it is loaded, a change is made at once, before anything else can happen. */
const LOADED = new WeakMap<object, VisualChanges>();
/** The changes of each editor that wait until its code is loaded. */
const WAITING = new WeakMap<object, Wanted[]>();

/**
 * Makes changes in the order of the requests, as soon as the code that makes them is loaded.
 *
 * @param shown the journey that is shown, which may be older than the text
 */
export function changerOf(
  store: Pick<TextStore, "get">,
  editor: Pick<VisualEditor, "loadChanges" | "show">,
  {
    shown,
    onEnd,
  }: { shown: JsonObject | undefined; onEnd: (refused: Fault | undefined, after: AfterChange) => void },
) {
  const load = async () => {
    const changes = await editor.loadChanges();
    LOADED.set(editor, changes);
    return changes;
  };
  const makeAll = (changes: VisualChanges, wanted: readonly Wanted[]) => {
    for (let left = wanted; left.length > 0;) {
      const now = editor.show(store.get().text).value;
      const [next, ...others] = left.map((one) => broughtUpTo(now, one));
      next?.end(make(changes, next));
      left = others;
    }
  };
  const makeWaiting = async (waiting: readonly Wanted[]) => {
    const changes = await load().catch(() => undefined);
    WAITING.delete(editor);
    if (changes !== undefined) makeAll(changes, waiting);
    else for (const { end } of waiting) end(NOT_LOADED);
  };
  return {
    change: (change: Change, after: AfterChange = {}) => {
      const wanted: Wanted = { change, shown, end: (refused) => onEnd(refused, after) };
      const [loaded, waiting] = [LOADED.get(editor), WAITING.get(editor)];
      if (waiting !== undefined) waiting.push(wanted);
      else if (loaded !== undefined) makeAll(loaded, [wanted]);
      else {
        const queue = [wanted];
        WAITING.set(editor, queue);
        void makeWaiting(queue);
      }
    },
    /** Loads it before the first change. A failure is reported by the change. */
    load: () => {
      if (!LOADED.has(editor)) void load().catch(() => undefined);
    },
  };
}

/** A change names places of the journey that was shown: in the present one, they can be those of something else. */
function broughtUpTo(now: JsonObject | undefined, wanted: Wanted): Wanted {
  const { change, shown, isGone } = wanted;
  // A text that can't be read refuses the change, and says why.
  if (isGone === true || change.op === "bringBack" || shown === undefined || now === undefined) return wanted;
  if (shown === now) return wanted;
  const rebased = rebase(change, shown, now);
  return rebased === undefined ? { ...wanted, isGone: true } : { ...wanted, change: rebased, shown: now };
}

function make(changes: VisualChanges, { change, isGone }: Wanted): Fault | undefined {
  if (isGone === true) return change.op === "removeValue" || change.op === "removeStep" ? undefined : GONE;
  return change.op === "bringBack" ? changes.bringBack?.(change.target) : changes.run(change);
}
