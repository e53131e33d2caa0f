import { Command, Option } from "clipanion";
import { BaseCommand } from "../../app/base-command.ts";

export class JourneyEditCommand extends BaseCommand {
  static override paths = [["journey", "edit"]];

  static override usage = Command.Usage({
    description: "Change a journey's text in place: no line is touched but those that the change is about.",
    details: `
      Comments, order, quoting and layout stay as they are. All edits are made, or none: one that can't be made is told with
      file and line, and the file stays as it was. Edits of --edits come first, then --set, --set-value, --insert, --move,
      --remove, --wrap and --reset, then the one about a step.

      Values are named by JSON Pointer. --set takes a simple value: a number, true, false, null or a text in double quotes is
      read as JSON, anything else is the text itself. --set-value and --insert take any value as JSON or YAML. A value that
      isn't there is added to an object that is.

      With --variant the file is an overlay, and the edits are about the journey that it makes of its base: they become
      actions of the overlay, and the base stays as it is.

      --edits takes a JSON list of commands, each with its name in op: setScalar and setValue {pointer, value}, insertItem
      {pointer, at, value}, moveItem {pointer, to}, removeValue {pointer}, wrapValue {pointer, key}, resetValue {pointer},
      insertStep {step, before or after}, moveStep {stepId, before or after}, removeStep {stepId}, renameStep {stepId, to},
      these with workflowId where it is not main. What --json prints as inverse is such a list: it undoes the edits.

      Exit codes: 0 changed (or nothing to change), 2 usage, or an edit that was refused.
    `,
    examples: [
      [
        "Give a step a timeout, and see it first",
        "$0 journey edit a.journey.yaml --set /workflows/0/steps/1/timeout=5000 --dry-run",
      ],
      [
        "Rename a step, with everything that refers to it",
        "$0 journey edit a.journey.yaml --rename-step create=order",
      ],
      [
        "Add a criterion to a step",
        "$0 journey edit a.journey.yaml --insert '/workflows/0/steps/0/successCriteria/-={condition: $statusCode == 200}'",
      ],
      [
        "Give a step another timeout in a variant only",
        "$0 journey edit guest.overlay.yaml --variant --set /workflows/0/steps/1/timeout=5000",
      ],
      ["Edits of another tool", "make-edits | $0 journey edit a.journey.yaml --edits -"],
    ],
  });

  file = Option.String({ name: "file" });
  set = Option.Array("--set", [], { description: "Set a simple value: pointer=value; repeat it" });
  setValue = Option.Array("--set-value", [], {
    description: "Set any value: pointer=JSON or YAML; repeat it",
  });
  insert = Option.Array("--insert", [], {
    description: "Insert an item into a list: pointer/INDEX=JSON or YAML, - for the end; repeat it",
  });
  move = Option.Array("--move", [], { description: "Move an item in its list: pointer=index; repeat it" });
  remove = Option.Array("--remove", [], { description: "Remove a value: pointer; repeat it" });
  wrap = Option.Array("--wrap", [], {
    description: "Put a value into a new list, or under a key: pointer or pointer=key; repeat it",
  });
  reset = Option.Array("--reset", [], {
    description: "Take back what the overlay changed: pointer; goes with --variant; repeat it",
  });
  variant = Option.Boolean("--variant", {
    description: "The file is an overlay: edit the journey that it makes",
  });
  insertStep = Option.String("--insert-step", {
    description: "Insert the step in this JSON or YAML file; - for standard input",
  });
  moveStep = Option.String("--move-step", { description: "Move this step" });
  removeStep = Option.String("--remove-step", { description: "Remove this step" });
  renameStep = Option.String("--rename-step", { description: "Rename a step: old=new" });
  before = Option.String("--before", { description: "Step that the inserted or moved one shall precede" });
  after = Option.String("--after", {
    description: "Step that it shall follow (default: behind the last)",
  });
  workflow = Option.String("--workflow", {
    description: "Workflow that the steps are of (default main, else the only one)",
  });
  edits = Option.String("--edits", {
    description: "File with a JSON list of edit commands; - for standard input",
  });
  dryRun = Option.Boolean("--dry-run", { description: "Show the change as a diff, and change nothing" });
  check = Option.Boolean("--check", {
    description: "Refuse the edits when they bring an error that lint tells",
  });
  json = Option.Boolean("--json", { description: "Print one JSON object" });

  override async run(): Promise<number> {
    const { editJourney } = await import("./edit/edit-journey.ts");
    return editJourney(this.context, this);
  }
}
