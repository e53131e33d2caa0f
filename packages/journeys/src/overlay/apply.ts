import { isObject, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { parentPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { ArazzoDocument } from "../document/model.ts";
import type { JourneyDocument } from "../document/parse.ts";
import { sourceOf } from "../document/positions.ts";
import type { Positions } from "../document/positions.ts";
import { hasErrors, sortProblems } from "../document/problem.ts";
import type { Position, Problem } from "../document/problem.ts";
import { VISITS_MAX } from "../evaluation/visits.ts";
import type { Visits } from "../evaluation/visits.ts";
import { checkStructure } from "../document/structure.ts";
import { applyAction } from "./apply-action.ts";
import type { Removal } from "./apply-action.ts";
import { driftOf } from "./drift.ts";
import { overlayId, profileOf } from "./model.ts";
import type { OverlayDocument } from "./model.ts";
import type { ParsedOverlay } from "./parse-overlay.ts";
import type { AppliedOverlays, BaseDrift, FieldProvenance } from "./provenance.ts";
import { extendsDocument } from "./references.ts";
import { treeOf, valueOf, walk } from "./tree.ts";
import type { TreeNode } from "./tree.ts";

interface Layer {
  id: string;
  positions: Positions;
}

interface Stack {
  layers: Layer[];
  problems: Problem[];
  removals: Removal[];
  drift: BaseDrift[];
  visits: Visits;
}

/**
 * Applies overlays to a base, in order, each in its profile. Every fault of base, overlays and result is reported at
 * once; the result's structure is checked again, and a fault in it is placed in the file that wrote the field.
 */
export function applyOverlays(base: JourneyDocument, overlays: readonly ParsedOverlay[]): AppliedOverlays {
  const stack: Stack = {
    layers: [{ id: "base", positions: base.positions }],
    problems: [...base.problems, ...overlays.flatMap((overlay) => overlay.problems)],
    removals: [],
    drift: [],
    visits: { left: VISITS_MAX },
  };
  if (base.raw === undefined) return outcome(stack, undefined);
  const root = treeOf(base.raw, 0, "");
  for (const [index, overlay] of overlays.entries()) {
    const { model } = overlay;
    const id = model === undefined ? overlay.file : overlayId(model, overlay.file);
    checkLink(stack, base, overlays.slice(0, index), overlay);
    stack.layers.push({ id, positions: overlay.positions });
    if (model !== undefined) applyLayer(stack, root, model);
  }
  return outcome(stack, root);
}

function checkLink(
  stack: Stack,
  base: JourneyDocument,
  below: readonly ParsedOverlay[],
  overlay: ParsedOverlay,
): void {
  const { model } = overlay;
  if (model === undefined) return;
  const id = overlayId(model, overlay.file);
  const extendsVersion = model.info["x-overlay"]?.extendsVersion;
  const report = (severity: "error" | "warning", code: string, message: string, pointer: Pointer): void => {
    stack.problems.push({ severity, code, message, pointer, ...sourceOf(overlay.positions, pointer) });
  };
  if (stack.layers.some((layer) => layer.id === id)) {
    report(
      "error",
      "overlay-id",
      `Another overlay or the base has the id ${id} already.`,
      "/info/x-overlay/id",
    );
  }
  const self = ownString(base.raw, "$self");
  const means = (file: string, own?: string): boolean =>
    model.extends !== undefined && extendsDocument(model.extends, overlay.file, { file, self: own });
  const above = below.findLast((lower) => means(lower.file));
  if (model.extends !== undefined && above === undefined && !means(base.file, self)) {
    const message = `This overlay extends ${model.extends}, which is neither ${base.file} nor an overlay below it.`;
    report(profileOf(model) === "strict" ? "error" : "warning", "overlay-base", message, "/extends");
  }
  const version = ownString(ownObject((above ?? base).raw, "info"), "version");
  const drift = driftOf(id, extendsVersion, version);
  stack.drift.push(drift);
  if (drift.moved) {
    const message = `The base is at version ${version}, this overlay was written for ${extendsVersion}; check it and set extendsVersion.`;
    report("warning", "overlay-base-moved", message, "/info/x-overlay/extendsVersion");
  }
}

function applyLayer(stack: Stack, root: TreeNode, model: OverlayDocument): void {
  const layer = stack.layers.length - 1;
  for (const [index, action] of model.actions.entries()) {
    const origin = { layer, pointer: `/actions/${index}` };
    const result = applyAction(root, action, origin, { profile: profileOf(model), visits: stack.visits });
    stack.removals.push(...result.removals);
    const positions = stack.layers[layer]?.positions;
    for (const fault of result.faults) {
      const place =
        positions === undefined ? { file: "", line: 1, column: 1 } : sourceOf(positions, fault.pointer);
      stack.problems.push({ ...fault, ...place });
    }
    // Further actions would run on a document of the maximum size.
    if (result.faults.some(({ code }) => code === "overlay-too-large")) return;
  }
}

function outcome(stack: Stack, root: TreeNode | undefined): AppliedOverlays {
  const { layers, drift } = stack;
  const place = (layer: number, pointer: Pointer): Position => {
    const positions = layers[layer]?.positions;
    return positions === undefined ? { file: "", line: 1, column: 1 } : sourceOf(positions, pointer);
  };
  const nodes = new Map(root === undefined ? [] : walk(root));
  const locate = (pointer: Pointer): Position => {
    for (let at = pointer; ; at = parentPointer(at)) {
      const node = nodes.get(at);
      if (node !== undefined) return place(node.origin.layer, node.origin.pointer);
      if (at === "") return place(0, "");
    }
  };
  const provenance = new Map<Pointer, FieldProvenance>();
  const touched = new Map<string, Pointer[]>(layers.slice(1).map(({ id }) => [id, []]));
  for (const [pointer, { origin, change }] of nodes) {
    const from = layers[origin.layer]?.id ?? "base";
    provenance.set(pointer, { from, change, source: place(origin.layer, origin.pointer) });
    if (origin.layer > 0) touched.get(from)?.push(pointer);
  }
  const value = root === undefined ? undefined : valueOf(root);
  const { model, problems } = checkResult(stack, value, locate);
  return {
    raw: isObject(value) ? value : undefined,
    model,
    overlays: layers.slice(1).map(({ id }) => id),
    provenance,
    removed: stack.removals.map(({ pointer, origin }) => ({
      pointer,
      by: layers[origin.layer]?.id ?? "",
      source: place(origin.layer, origin.pointer),
    })),
    touched: Object.fromEntries(touched),
    drift,
    problems,
    sourceOf: locate,
  };
}

function checkResult(
  stack: Stack,
  value: JsonValue | undefined,
  locate: (pointer: Pointer) => Position,
): { model: ArazzoDocument | undefined; problems: Problem[] } {
  if (value === undefined || hasErrors(stack.problems)) {
    return { model: undefined, problems: sortProblems(stack.problems) };
  }
  const positions: Positions = { file: "", get: (pointer) => ({ value: locate(pointer) }) };
  const { data, problems } = checkStructure(ArazzoDocument, value, positions);
  return { model: data, problems: sortProblems([...stack.problems, ...problems]) };
}
