import { Command, Option } from "clipanion";
import { BaseCommand } from "../../framework/base-command.ts";

export class JourneyEditCommand extends BaseCommand {
  static override paths = [["journey", "edit"]];

  static override usage = Command.Usage({
    description: "Change a journey in place, without changing any other line.",
    details: `
      Comments, order, quoting and layout don't change. If one edit can't be made, none is: the command prints the
      reason with file and line. It applies --edits first, then --set, --set-value, --insert, --move, --remove, --wrap and
      --reset, then the option for a step.

      A JSON Pointer names the value to edit. --set reads a number, true, false, null or a text in double quotes as JSON,
      and everything else as text. --set-value and --insert read any value as JSON or YAML. --set and --set-value add a
      member that the object doesn't have.

      With --variant the file is an overlay, and the edits change the journey that it makes of its base. They become
      actions of the overlay; the base is not changed.

      --edits reads a JSON list of commands. Each has its name in "op", and these members:

      - setScalar, setValue: pointer, value

      - insertItem: pointer, at, value

      - moveItem: pointer, to

      - removeValue, resetValue: pointer

      - wrapValue: pointer, key

      - insertStep: step, before or after

      - moveStep: stepId, before or after

      - removeStep: stepId

      - renameStep: stepId, to

      - renameAssertion: stepId, id, to

      The commands for steps also take workflowId, for a workflow other than main. --json prints the list of commands that
      undoes the edits as "inverse".

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
      [
        "Make a variant out of edits",
        "$0 journey edit a.journey.yaml --set /workflows/0/steps/1/timeout=5000 --as-overlay slow.overlay.yaml",
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
    description: "Undo what the overlay changes: pointer; needs --variant; repeat it",
  });
  variant = Option.Boolean("--variant", {
    description: "The file is an overlay: edit the journey that results",
  });
  insertStep = Option.String("--insert-step", {
    description: "Insert the step in this JSON or YAML file; - for standard input",
  });
  moveStep = Option.String("--move-step", { description: "Move this step" });
  removeStep = Option.String("--remove-step", { description: "Remove this step" });
  renameStep = Option.String("--rename-step", { description: "Rename a step: old=new" });
  renameAssertion = Option.String("--rename-assertion", {
    description: "Rename an assertion, also where it proves a criterion: step#old=new",
  });
  before = Option.String("--before", { description: "Insert or move the step before this one" });
  after = Option.String("--after", {
    description: "Insert or move the step after this one (default: the last)",
  });
  workflow = Option.String("--workflow", {
    description: "Workflow of the step (default: main, or the only one)",
  });
  edits = Option.String("--edits", {
    description: "File with a JSON list of edit commands; - for standard input",
  });
  asOverlay = Option.String("--as-overlay", {
    description: "Don't change the journey, and write the edits as this new overlay",
  });
  dryRun = Option.Boolean("--dry-run", { description: "Show the change as a diff, and change nothing" });
  check = Option.Boolean("--check", {
    description: "Refuse edits that cause an error of journey lint",
  });
  json = Option.Boolean("--json", { description: "Print one JSON object" });

  override async run(): Promise<number> {
    const { editJourney } = await import("./edit/edit-journey.ts");
    return editJourney(this.context, this);
  }
}
