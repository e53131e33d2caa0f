import { createContext } from "react";
import type { WorkflowOutline } from "./outline.ts";

/** A stored document that a journey names as a source, for its workflows. */
export interface LinkedJourney {
  /** The name of the source description. */
  name: string;
  path: string;
  documentId: string;
}

/** The workflows that a step can call. */
interface SubJourneys {
  workflows: readonly WorkflowOutline[];
  linked: readonly LinkedJourney[];
}

export const SubJourneysContext = createContext<SubJourneys>({ workflows: [], linked: [] });
