import { isObject } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { parseText } from "../document/parse-text.ts";
import type { ParsedText, ParseOptions } from "../document/parse-text.ts";
import { sourceOf } from "../document/positions.ts";
import { hasErrors, sortProblems } from "../document/problem.ts";
import type { Problem } from "../document/problem.ts";
import { checkStructure } from "../document/structure.ts";
import { isVersionRange } from "./drift.ts";
import { OverlayDocument, profileOf } from "./model.ts";
import type { OverlayAction } from "./model.ts";
import { compileTarget } from "./selector.ts";

/** An overlay as read. `model` is undefined as soon as `problems` has an error. */
export interface ParsedOverlay extends ParsedText {
  raw: JsonObject | undefined;
  model: OverlayDocument | undefined;
}

/** Parses an overlay and checks it against its profile, as far as that needs no base: all faults at once. */
export function parseOverlay(text: string, options: ParseOptions): ParsedOverlay {
  const parsed = parseText(text, options);
  const { value, positions } = parsed;
  if (!isObject(value) || hasErrors(parsed.problems)) {
    const raw = isObject(value) ? value : undefined;
    const message = "An overlay is an object with the fields overlay, info and actions.";
    const none: Problem = {
      severity: "error",
      code: "wrong-type",
      message,
      pointer: "",
      ...sourceOf(positions, ""),
    };
    return {
      ...parsed,
      problems: raw === undefined ? [...parsed.problems, none] : parsed.problems,
      raw,
      model: undefined,
    };
  }
  const { data, problems: structure } = checkStructure(OverlayDocument, value, positions);
  const profile = data === undefined ? [] : profileProblems(data, parsed);
  const problems = sortProblems([...parsed.problems, ...structure, ...profile]);
  return { ...parsed, problems, raw: value, model: hasErrors(problems) ? undefined : data };
}

function profileProblems(model: OverlayDocument, { positions }: ParsedText): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (severity, code, message, pointer) => {
    problems.push({ severity, code, message, pointer, ...sourceOf(positions, pointer) });
  };
  const link = model.info["x-overlay"];
  if (link !== undefined) checkRange(link.extendsVersion, report);
  if (link !== undefined && model.extends === undefined) {
    report(
      "error",
      "missing-field",
      "An overlay with x-overlay names its base: add extends.",
      "/info/x-overlay",
    );
  }
  const profile = profileOf(model);
  for (const [index, action] of model.actions.entries()) {
    const at = `/actions/${index}`;
    for (const field of ["target", "copy"] as const) {
      const path = action[field];
      if (path === undefined) continue;
      const selection = compileTarget(path, profile);
      if (!selection.ok) report("error", selection.code, selection.message, `${at}/${field}`);
    }
    if (profile === "strict") checkStrictAction(action, at, report);
    else checkAction(action, at, report);
    if (action["x-insert"] !== undefined && action.update === undefined) {
      report(
        "error",
        "overlay-insert",
        "x-insert says where an update goes; this action has none.",
        `${at}/x-insert`,
      );
    }
  }
  return problems;
}

type Report = (severity: "error" | "warning", code: string, message: string, pointer: string) => void;

function checkRange(extendsVersion: string | undefined, report: Report): void {
  if (extendsVersion === undefined) {
    const message =
      "Without extendsVersion nobody learns that the base has moved; add it, for example ^1.0.0.";
    report("warning", "overlay-version", message, "/info/x-overlay");
  } else if (!isVersionRange(extendsVersion)) {
    const message = `${extendsVersion} is not a range of versions.`;
    report("error", "overlay-version", message, "/info/x-overlay/extendsVersion");
  }
}

function checkStrictAction(action: OverlayAction, at: string, report: Report): void {
  const does = [action.update !== undefined, action.copy !== undefined, action.remove === true];
  if (does.filter(Boolean).length !== 1) {
    report("error", "overlay-action", "An action has exactly one of update, copy and remove: true.", at);
  }
}

/** Overlay 1.1, 4.4.3: `remove` goes before both, and of `update` and `copy` each takes the other's effect away. */
function checkAction(action: OverlayAction, at: string, report: Report): void {
  const [updates, copies] = [action.update !== undefined, action.copy !== undefined];
  if (action.remove === true) {
    if (!updates && !copies) return;
    report(
      "warning",
      "overlay-action",
      "The action removes its target, so its update or copy has no effect.",
      at,
    );
  } else if (updates && copies) {
    report("error", "overlay-action", "An action with update and copy has no effect: keep one of them.", at);
  } else if (!updates && !copies) {
    report(
      "warning",
      "overlay-action",
      "The action has none of update, copy and remove: true, so it has no effect.",
      at,
    );
  }
}
