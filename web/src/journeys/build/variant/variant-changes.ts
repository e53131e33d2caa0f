import { editOpened } from "@waymark/journey-authoring/edit/edit-document.ts";
import { openForEdits } from "@waymark/journey-authoring/edit/opened-text.ts";
import type { VariantBase } from "@waymark/journey-authoring/variant/compose.ts";
import { editVariant } from "@waymark/journey-authoring/variant/edit-variant.ts";
import { withText } from "../text/text-history.ts";
import { ownArray, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { TextStore } from "../text/text-store.ts";
import type { VisualChanges } from "../visual/visual-editor.ts";

/** Changes a variant: a command becomes an action of the overlay, whose text the store has. */
export function createVariantChanges(
  store: TextStore,
  { below, file }: { below: VariantBase; file: string },
): Required<VisualChanges> {
  const replace = (text: string) => store.update((history) => withText(history, text));
  return {
    run: (command) => {
      const result = editVariant(below, store.get().text, [command], { file });
      if (!result.ok) return result.problems[0];
      replace(result.text);
      return undefined;
    },
    bringBack: (target) => {
      const opened = openForEdits(store.get().text, { file });
      const index = ownArray(opened.value, "actions").findIndex(
        (action) => ownValue(action, "remove") === true && ownString(action, "target") === target,
      );
      // It is back already.
      if (index < 0) return undefined;
      const result = editOpened(opened, { op: "removeValue", pointer: `/actions/${index}` });
      if (!result.ok) return result.problems[0];
      replace(result.text);
      return undefined;
    },
  };
}
