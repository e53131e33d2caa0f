import {
  compose,
  type Composed,
  nodeAtPointer,
  ownPointer,
  type VariantBase,
} from "@waymark/journey-authoring/variant/compose.ts";
import { VISITS_MAX } from "@waymark/journeys/evaluation/visits.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import { profileOf } from "@waymark/journeys/overlay/model.ts";
import { parseOverlay, type ParsedOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { extendsDocument } from "@waymark/journeys/overlay/references.ts";
import { compileTarget } from "@waymark/journeys/overlay/selector.ts";
import { type TreeNode, walk } from "@waymark/journeys/overlay/tree.ts";
import { ownString } from "@waymark/openapi/json.ts";
import { parentPointer } from "@waymark/openapi/pointer.ts";
import type { TextStore } from "../text/text-store.ts";
import type { FieldOrigin, VariantFields } from "../visual/variant-fields.ts";
import type { Fault, ShownJourney, VisualEditor } from "../visual/visual-editor.ts";
import { baseFault } from "./base-texts.ts";

/** Edits a variant: commands refer to the composed journey, and become actions of the overlay, whose text the store has. */
export function createVariantEditor(
  store: TextStore,
  { below, file }: { below: VariantBase; file: string },
): VisualEditor {
  const fault = faultBelow(below);
  let last: { text: string; shown: ShownJourney } | undefined;
  return {
    show: (text) => {
      if (last?.text !== text) {
        const shown = fault === undefined ? showVariant(below, text, file) : frozen(fault);
        last = { text, shown };
      }
      return last.shown;
    },
    loadChanges: async () => {
      const { createVariantChanges } = await import("./variant-changes.ts");
      return createVariantChanges(store, { below, file });
    },
  };
}

function faultBelow(below: VariantBase): Fault | undefined {
  const message = baseFault(below);
  if (message !== undefined)
    return { message: `What this variant is built on has a fault: ${message}`, line: undefined };
  const composition = compose(below);
  if (composition.ok) return undefined;
  const [problem] = composition.problems;
  const place = problem === undefined ? "" : `${problem.file}, line ${problem.line}: ${problem.message}`;
  return { message: `What this variant is built on can't be put together: ${place}`, line: undefined };
}

function frozen(fault: Fault): ShownJourney {
  return { value: undefined, fault, lineOf: () => undefined, fields: undefined };
}

function showVariant(below: VariantBase, text: string, file: string): ShownJourney {
  const overlay = parseOverlay(text, { file });
  if (overlay.model !== undefined && !isBuiltOn(below, overlay.model.extends, file)) {
    const message = "The variant has another base now. Save it: then its steps are those of the new base.";
    return frozen({ message, line: sourceOf(overlay.positions, "/extends").line });
  }
  const composition = compose(below, overlay);
  if (!composition.ok) {
    const problem = composition.problems.find(({ severity }) => severity === "error");
    return frozen(problem ?? { message: "The overlay can't be applied.", line: 1 });
  }
  const { composed } = composition;
  return {
    value: composed.value,
    fault: undefined,
    lineOf: (pointer) => {
      const own = ownPointer(composed, nodeAtPointer(composed, pointer));
      return own === undefined ? undefined : sourceOf(overlay.positions, own).line;
    },
    fields: fieldsOf(composed, overlay),
  };
}

function isBuiltOn({ base, below }: VariantBase, extended: string | undefined, file: string): boolean {
  if (extended === undefined) return false;
  const nearest = below.at(-1);
  const self = nearest === undefined ? ownString(base.raw, "$self") : undefined;
  return extendsDocument(extended, file, { file: nearest?.file ?? base.file, self });
}

function fieldsOf(composed: Composed, overlay: ParsedOverlay): VariantFields {
  const isOwn = (node: TreeNode) => ownPointer(composed, node) !== undefined;
  return {
    originOf: (pointer) => {
      const node = nodeAtPointer(composed, pointer);
      if (node === undefined) return { change: "inherited", isOwn: false, canReset: false };
      const parts = [...walk(node)].map(([, part]) => part);
      const change = changeOf(node, parts);
      const own = change !== "inherited" && parts.some(isOwn);
      // A field inside an added value is changed or removed together with that value.
      const isPart = nodeAtPointer(composed, parentPointer(pointer))?.change === "added";
      return { change, isOwn: own, canReset: own && !isPart };
    },
    removed: removedBy(composed, overlay),
  };
}

function changeOf(node: TreeNode, parts: readonly TreeNode[]): FieldOrigin["change"] {
  if (node.change !== "inherited") return node.change;
  return parts.some(({ change }) => change !== "inherited") ? "changed" : "inherited";
}

/** Returns removals whose target does not exist any more. One that only makes room for a new value is left out. */
function removedBy(composed: Composed, { model }: ParsedOverlay): VariantFields["removed"] {
  if (model === undefined) return [];
  const profile = profileOf(model);
  return model.actions.flatMap(({ target, remove }, index) => {
    if (remove !== true) return [];
    const selection = compileTarget(target, profile);
    const isThere = selection.ok && selection.locate(composed.value, { left: VISITS_MAX }).length > 0;
    return isThere ? [] : [{ index, target }];
  });
}
