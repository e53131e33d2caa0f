import { Command, Option } from "clipanion";
import { BaseCommand } from "../../app/base-command.ts";

export class JourneyEditCommand extends BaseCommand {
  static override paths = [["journey", "edit"]];

  static override usage = Command.Usage({
    description: "Change a journey's text in place: no line is touched but those that the change is about.",
    details: `
      Comments, order, quoting and layout stay as they are. All edits are made, or none: one that can't be made is told with
      file and line, and the file stays as it was. Edits of --edits come first, then --set in their order, then the one
      about a step.

      --set takes a JSON Pointer and a value: a number, true, false, null or a text in double quotes is read as JSON,
      anything else is the text itself. It changes a value, or adds one to an object that is there.

      --edits takes a JSON list of commands: setScalar {pointer, value}, insertStep {step, before or after}, moveStep
      {stepId, before or after}, removeStep {stepId}, renameStep {stepId, to}, each with its name in op, and with
      workflowId where it is not main.

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
      ["Edits of another tool", "make-edits | $0 journey edit a.journey.yaml --edits -"],
    ],
  });

  file = Option.String({ name: "file" });
  set = Option.Array("--set", [], { description: "Set a value: pointer=value; repeat it" });
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
