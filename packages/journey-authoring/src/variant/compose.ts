import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { JourneyDocument } from "@waymark/journeys/document/parse.ts";
import { sourceOf } from "@waymark/journeys/document/positions.ts";
import { hasErrors } from "@waymark/journeys/document/problem.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { applyAction } from "@waymark/journeys/overlay/apply-action.ts";
import { profileOf } from "@waymark/journeys/overlay/model.ts";
import type { OverlayAction } from "@waymark/journeys/overlay/model.ts";
import type { ParsedOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { nodeAt, treeOf, valueOf } from "@waymark/journeys/overlay/tree.ts";
import type { TreeNode } from "@waymark/journeys/overlay/tree.ts";

/** The base that an overlay is applied to: a journey, and the overlays in between, in the order of application. */
export interface VariantBase {
  base: JourneyDocument;
  below: readonly ParsedOverlay[];
}

/** A base with its overlays applied; the last one is edited. */
export interface Composed {
  root: TreeNode;
  value: JsonObject;
  /** Layer of the overlay that is edited. */
  layer: number;
  actions: readonly OverlayAction[];
}

export type Composition = { ok: true; composed: Composed } | { ok: false; problems: Problem[] };

/** Applies the overlays. A fault in any of them ends it, because edits need a valid base. */
export function compose({ base, below }: VariantBase, top?: ParsedOverlay): Composition {
  if (base.raw === undefined || hasErrors(base.problems)) return { ok: false, problems: base.problems };
  const overlays = top === undefined ? below : [...below, top];
  const root = treeOf(base.raw, 0, "");
  for (const [index, overlay] of overlays.entries()) {
    const { model, problems, positions } = overlay;
    if (model === undefined) return { ok: false, problems };
    for (const [at, action] of model.actions.entries()) {
      const origin = { layer: index + 1, pointer: `/actions/${at}` };
      const { faults } = applyAction(root, action, origin, { profile: profileOf(model) });
      if (!hasErrors(faults)) continue;
      return {
        ok: false,
        problems: faults.map((fault) => ({ ...fault, ...sourceOf(positions, fault.pointer) })),
      };
    }
  }
  const value = valueOf(root);
  if (!isObject(value)) return { ok: false, problems: base.problems };
  return {
    ok: true,
    composed: { root, value, layer: overlays.length, actions: top?.model?.actions ?? [] },
  };
}

export function nodeAtPointer({ root }: Composed, pointer: Pointer): TreeNode | undefined {
  return nodeAt(root, decodePointer(pointer) ?? []);
}

/** Where, in the text of the overlay that is edited, a node's value stands. */
export function ownPointer({ layer }: Composed, node: TreeNode | undefined): Pointer | undefined {
  if (node?.origin.layer !== layer) return undefined;
  return /^\/actions\/\d+\/update(?:\/|$)/.test(node.origin.pointer) ? node.origin.pointer : undefined;
}
