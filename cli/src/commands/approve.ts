import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../framework/connection-command.ts";

export class ApproveCommand extends ConnectionCommand {
  static override paths = [["approve"]];

  static override usage = Command.Usage({
    description: "Approve changes of a scan run that break clients, so that they pass gates.",
    details: `
      An approved change passes --fail-on breaking and --fail-on maybe of every later scan of the service, until it is current. The same
      change made again later needs another approval. The fingerprints are in the summary of a scan, and in its result with --json;
      without --change, the command lists the run's changes that can be approved.

      The key needs changes:approve, and to read the run services:read.

      Exit codes: 0 approved, 2 usage or no such change, 3 authentication or permission, 4 server or network.
    `,
    examples: [
      [
        "Approve a change",
        '$0 approve 019a0000-0000-7000-8000-000000000001 --change 5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5 --reason "agreed with all clients"',
      ],
      [
        "Approve it until a day",
        "$0 approve 019a0000-0000-7000-8000-000000000001 --change 5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5 --reason migration --until 2027-03-31",
      ],
    ],
  });

  scanRun = Option.String({ name: "run", required: true });
  change = Option.Array("--change", [], {
    description: "Fingerprint of a change to approve; repeat it",
  });
  reason = Option.String("--reason", {
    description: "Why the change is intended, for everybody who sees it",
  });
  until = Option.String("--until", {
    description:
      "Last day on which the approval holds, such as 2027-03-31 (default: until the change is current)",
  });

  override async run(): Promise<number> {
    const { runApprove } = await import("./approve/run-approve.ts");
    return runApprove(this.context, this);
  }
}
