import { Command, Option } from "clipanion";
import { ConnectionCommand } from "../framework/connection-command.ts";

export class DecideCommand extends ConnectionCommand {
  static override paths = [["decide"]];

  static override usage = Command.Usage({
    description: "Decide about findings of a scan run, so that they pass gates.",
    details: `
      A decided finding stays in scans, lists and reports, and does not fail --fail-on. The decision also covers the finding in later scans,
      with other numbers, quoted values or names of path parameters. It ends with its last day, and a finding that becomes more severe than
      --max-severity is open again. Deciding about the same finding or rule again replaces the decision.

      Without --finding and --rule, the command lists the run's open findings with their ids. --rule decides about all findings of a rule in
      the run's service, and with --everywhere in every service, without a run.

      --revoke ends decisions: their findings are open again. \`decisions\` lists them with their ids.

      The key needs findings:decide, and to read the run services:read and endpoints:read.

      Exit codes: 0 decided or revoked, 2 usage or no such finding or decision, 3 authentication or permission, 4 server or network.
    `,
    examples: [
      [
        "Accept a finding until a day",
        '$0 decide 019a0000-0000-7000-8000-000000000001 --finding 5f0c1d2e-3a4b-8c6d-8e8f-90a1b2c3d4e5 --reason "behind the VPN" --until 2027-03-31',
      ],
      [
        "Turn a rule off for a service",
        "$0 decide 019a0000-0000-7000-8000-000000000001 --rule info-license --kind wont_fix --reason internal",
      ],
      [
        "Turn a rule off everywhere",
        "$0 decide --rule info-license --everywhere --kind wont_fix --reason internal",
      ],
      ["Revoke a decision", "$0 decide --revoke 019a0000-0000-7000-8000-000000000009"],
    ],
  });

  scanRun = Option.String({ name: "run", required: false });
  finding = Option.Array("--finding", [], { description: "Id of a finding to decide about; repeat it" });
  rule = Option.String("--rule", { description: "Code of a rule to decide about, with all of its findings" });
  everywhere = Option.Boolean("--everywhere", false, {
    description: "Decide about the rule in every service",
  });
  revoke = Option.Array("--revoke", [], { description: "Id of a decision to revoke; repeat it" });
  kind = Option.String("--kind", {
    description: "accepted_risk (default), false_positive or wont_fix",
  });
  reason = Option.String("--reason", { description: "Why, for everybody who sees the finding" });
  maxSeverity = Option.String("--max-severity", {
    description:
      "Highest severity that the decision covers: a finding that becomes more severe is open again (default: the severity now)",
  });
  until = Option.String("--until", {
    description:
      "Last day on which the decision holds, such as 2027-03-31 (default: the organization's maximum)",
  });

  override async run(): Promise<number> {
    const { runDecide } = await import("./decide/run-decide.ts");
    return runDecide(this.context, this);
  }
}
