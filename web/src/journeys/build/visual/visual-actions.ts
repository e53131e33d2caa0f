import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";

export interface AfterChange {
  /** Names the element that has the focus afterwards. */
  focus?: string;
  /** What a screen reader says. */
  said?: string;
  onEnd?: (isMade: boolean) => void;
}

/** What the parts of the visual view can do. */
export interface VisualActions {
  isReadOnly: boolean;
  /** Makes one change, at once or as soon as what makes changes is loaded. */
  run: (command: EditCommand | undefined, after?: AfterChange) => void;
  /** The same for a command whose making needs code that is loaded first. */
  runLoaded: (make: () => Promise<EditCommand>, after?: AfterChange) => void;
  select: (stepId: string) => void;
  /** Opens the text at the place of a value. Undefined if another text has the value. */
  showText: (pointer: Pointer) => (() => void) | undefined;
}
