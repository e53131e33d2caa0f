import type { JsonObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { ArazzoDocument } from "../document/model.ts";
import type { Position, Problem } from "../document/problem.ts";

/** Where a field of a variant comes from. */
export interface FieldProvenance {
  /** `base`, or the id of the overlay that wrote the value last. */
  from: string;
  /** Compared with the base. */
  change: "inherited" | "changed" | "added";
  /** Where that value is written: in the base file or in the overlay's. */
  source: Position;
}

/** A field of the base that an overlay removed. */
export interface RemovedField {
  /** Pointer into the document as it was when the overlay was applied. */
  pointer: Pointer;
  by: string;
  source: Position;
}

/** The base that an overlay expects, and the actual one. */
export interface BaseDrift {
  overlay: string;
  extendsVersion: string | undefined;
  baseVersion: string | undefined;
  /** True when the base's version is outside `extendsVersion`. */
  moved: boolean;
}

/** A base with its overlays applied, in order. */
export interface AppliedOverlays {
  raw: JsonObject | undefined;
  /** Undefined as soon as `problems` has an error. */
  model: ArazzoDocument | undefined;
  /** Ids, in the order of application. */
  overlays: string[];
  /** The provenance of every pointer of the result, containers included. */
  provenance: ReadonlyMap<Pointer, FieldProvenance>;
  removed: RemovedField[];
  /** Pointers of the result that each overlay wrote, by overlay id. */
  touched: Record<string, Pointer[]>;
  drift: BaseDrift[];
  /** Faults of base, overlays and result, each in the file where it can be fixed. */
  problems: Problem[];
  /** Place of the field's value, in whichever file it stands; for an unknown pointer its nearest ancestor's. */
  sourceOf: (pointer: Pointer) => Position;
}
