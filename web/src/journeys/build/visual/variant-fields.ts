import type { Pointer } from "@waymark/openapi/pointer.ts";
import { createContext } from "react";

/** The effect of overlays on a field of the base. */
export interface FieldOrigin {
  change: "inherited" | "changed" | "added";
  /** True if the variant that is shown has this effect, and not one that it is built on. */
  isOwn: boolean;
  canReset: boolean;
}

export interface VariantFields {
  originOf: (pointer: Pointer) => FieldOrigin;
  /** The targets that this variant removes from its base, with the index of the action. */
  removed: { index: number; target: string }[];
}

/**
 * The fields of the variant that is shown; `reset` restores a field's value in the base. Undefined for other journeys.
 */
export const VariantContext = createContext<
  (Pick<VariantFields, "originOf"> & { reset: ((pointer: Pointer) => void) | undefined }) | undefined
>(undefined);
