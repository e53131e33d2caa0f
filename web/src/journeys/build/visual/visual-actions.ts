import type { EditCommand } from "@waymark/journey-authoring/edit/command.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";

export interface AfterChange {
  /** Names the element that has the focus afterwards. */
  focus?: string;
  /** A text for screen readers. */
  said?: string;
  onEnd?: (isMade: boolean) => void;
}

/** The actions of the visual view's parts. */
export interface VisualActions {
  isReadOnly: boolean;
  /** Makes one change, at once or as soon as the code that makes changes is loaded. */
  run: (command: EditCommand | undefined, after?: AfterChange) => void;
  /** Makes one change with a command that needs code to be loaded before it can be created. */
  runLoaded: (make: () => Promise<EditCommand>, after?: AfterChange) => void;
  select: (stepId: string) => void;
  /** Opens the text at the place of a value. Undefined if another text has the value. */
  showText: (pointer: Pointer) => (() => void) | undefined;
}
