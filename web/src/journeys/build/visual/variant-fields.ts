import type { Pointer } from "@waymark/openapi/pointer.ts";
import { createContext } from "react";

/** What overlays do to a field of the base. */
export interface FieldOrigin {
  change: "inherited" | "changed" | "added";
  /** The variant that is shown does it, and not one that it is built on. */
  isOwn: boolean;
  canReset: boolean;
}

export interface VariantFields {
  originOf: (pointer: Pointer) => FieldOrigin;
  /** What this variant removes from its base, by the action that says it. */
  removed: { index: number; target: string }[];
}

/** The fields of the variant that is shown, and what brings one back to what it is in the base. Undefined for other journeys. */
export const VariantContext = createContext<
  (Pick<VariantFields, "originOf"> & { reset: ((pointer: Pointer) => void) | undefined }) | undefined
>(undefined);
