import type { Visits } from "../evaluation/visits.ts";
import { VISITS_MAX } from "../evaluation/visits.ts";
import { EvaluationLimit } from "../expressions/engine-error.ts";
import { PARSE_LIMITS } from "../document/limits.ts";
import { encodePointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { insertInto, mergeInto } from "./merge.ts";
import type { MergeFault } from "./merge.ts";
import type { OverlayAction, OverlayProfile } from "./model.ts";
import { compileTarget } from "./selector.ts";
import { childOf, copyOf, forget, nodeAt, sizeOf, treeOf, valueOf } from "./tree.ts";
import type { Origin, TreeNode } from "./tree.ts";

export interface ActionFault {
  /** A warning leaves the result valid. */
  severity: "error" | "warning";
  code: string;
  message: string;
  /** In the overlay. */
  pointer: Pointer;
}

export interface Removal {
  /** In the document as it was then. */
  pointer: Pointer;
  origin: Origin;
}

export interface ActionResult {
  faults: ActionFault[];
  removals: Removal[];
}

type Location = (string | number)[];

interface Targeting {
  profile: OverlayProfile;
  /** The remaining visits of targets, which the actions of all overlays share. */
  visits: Visits;
}

/** Applies one action to the tree, in place. Reports what doesn't fit, and skips it. */
export function applyAction(
  root: TreeNode,
  action: OverlayAction,
  origin: Origin,
  { profile, visits = { left: VISITS_MAX } }: { profile: OverlayProfile; visits?: Visits },
): ActionResult {
  try {
    return applyTo(root, action, origin, { profile, visits });
  } catch (error) {
    if (!(error instanceof EvaluationLimit)) throw error;
    const message = `The overlays' targets cost too much: ${error.message}. Make them narrower, without "..".`;
    return refusal("overlay-too-large", message, `${origin.pointer}/target`);
  }
}

function errorAt(code: string, message: string, pointer: Pointer): ActionFault {
  return { severity: "error", code, message, pointer };
}

function refusal(code: string, message: string, pointer: Pointer): ActionResult {
  return { faults: [errorAt(code, message, pointer)], removals: [] };
}

function applyTo(root: TreeNode, action: OverlayAction, origin: Origin, targeting: Targeting): ActionResult {
  const at = `${origin.pointer}/target`;
  const locations = locate(root, action.target, targeting);
  if (locations === undefined) return refusal("overlay-target", "The target can't be read.", at);
  if (locations.length === 0) {
    const message = `The target ${action.target} matches nothing in the document.`;
    const severity = targeting.profile === "strict" ? "error" : "warning";
    return { faults: [{ ...errorAt("overlay-no-match", message, at), severity }], removals: [] };
  }
  if (action.remove === true) {
    for (const location of locations) forgetPath(root, location);
    return remove(root, locations, { ...origin, pointer: `${origin.pointer}/remove` });
  }
  if (action.copy === undefined && action.update === undefined) return { faults: [], removals: [] };
  const targets = locations.flatMap((location) => nodeAt(root, location) ?? []);
  if (new Set(targets.map((target) => target.kind)).size > 1) {
    const message = "The target matches values of different kinds; make it narrower.";
    return refusal("overlay-mixed", message, at);
  }
  const sources = action.copy === undefined ? [] : (locate(root, action.copy, targeting) ?? []);
  if (sizeOf(root) + targets.length * sourceSize(root, action, origin, sources) > PARSE_LIMITS.nodes) {
    return refusal("overlay-too-large", `The result would have more than ${PARSE_LIMITS.nodes} values.`, at);
  }
  for (const location of locations) forgetPath(root, location);
  if (action.copy !== undefined)
    return copy(root, targets, sources, { ...origin, pointer: `${origin.pointer}/copy` });
  return { faults: targets.flatMap((target) => update(target, action, origin)), removals: [] };
}

function sourceSize(
  root: TreeNode,
  action: OverlayAction,
  { layer, pointer }: Origin,
  [location]: readonly Location[],
): number {
  if (action.copy === undefined) return sizeOf(treeOf(action.update ?? null, layer, pointer));
  const node = location === undefined ? undefined : nodeAt(root, location);
  return node === undefined ? 0 : sizeOf(node);
}

function locate(root: TreeNode, target: string, { profile, visits }: Targeting): Location[] | undefined {
  const selection = compileTarget(target, profile);
  if (!selection.ok) return undefined;
  const found = selection.locate(valueOf(root), visits);
  return [...new Map(found.map((location) => [encodePointer(location), location])).values()];
}

/** The nodes down to a place, which an action changes there. */
function forgetPath(root: TreeNode, location: Location): void {
  let node: TreeNode | undefined = root;
  for (const key of [...location, ""]) {
    if (node === undefined) return;
    forget(node);
    node = childOf(node, key);
  }
}

function update(target: TreeNode, action: OverlayAction, { layer, pointer }: Origin): ActionFault[] {
  const at = `${pointer}/update`;
  const node = treeOf(action.update ?? null, layer, at);
  const place = action["x-insert"];
  if (place === undefined) return told(mergeInto(target, node), at);
  if (target.kind === "list") return told(insertInto(target, node, place), `${pointer}/x-insert`);
  return [errorAt("overlay-insert", "x-insert needs a target that is a list.", `${pointer}/x-insert`)];
}

function told(faults: MergeFault[], at: Pointer): ActionFault[] {
  return faults.map(({ message, pointer }) => errorAt("overlay-mismatch", message, at + pointer));
}

function copy(root: TreeNode, targets: TreeNode[], sources: Location[], origin: Origin): ActionResult {
  const [location] = sources;
  const source = location === undefined ? undefined : nodeAt(root, location);
  if (source === undefined || sources.length > 1) {
    const message = `copy must match exactly one value; it matches ${sources.length}.`;
    return refusal("overlay-no-match", message, origin.pointer);
  }
  const copied = copyOf(source, origin);
  return {
    faults: targets.flatMap((target) =>
      mergeInto(target, copyOf(copied, origin)).map(({ message }) =>
        errorAt("overlay-mismatch", message, origin.pointer),
      ),
    ),
    removals: [],
  };
}

/** From the last location to the first, so that the places of those before it stay right. */
function remove(root: TreeNode, locations: Location[], origin: Origin): ActionResult {
  const removals: Removal[] = [];
  const faults: ActionFault[] = [];
  for (const location of locations.toSorted(byPlace).toReversed()) {
    const key = location.at(-1);
    const parent = nodeAt(root, location.slice(0, -1));
    if (key === undefined) {
      const message = "The whole document can't be removed.";
      faults.push(errorAt("overlay-target", message, origin.pointer));
    } else if (parent?.kind === "list") parent.items.splice(Number(key), 1);
    else if (parent?.kind === "object") parent.members.delete(String(key));
    if (key !== undefined) removals.push({ pointer: encodePointer(location), origin });
  }
  return { faults, removals: removals.toReversed() };
}

function byPlace(a: Location, b: Location): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const [left, right] = [a[index], b[index]];
    if (left === right) continue;
    if (typeof left === "number" && typeof right === "number") return left - right;
    return String(left) < String(right) ? -1 : 1;
  }
  return a.length - b.length;
}
