import * as operations from "@waymark/shared/scans/severity-policy/operations.ts";
import { SeverityPolicy } from "@waymark/shared/scans/severity-policy/schema.ts";
import { type ApiConnection, call } from "./api-client.ts";

const Rules = SeverityPolicy.pick({ rules: true });

/** Returns the severities that the organization gives rules. */
export async function getPolicyRules(connection: ApiConnection): Promise<SeverityPolicy["rules"]> {
  const reading = { what: "reading the severity policy", read: Rules };
  const { rules } = await call(connection, operations.getSeverityPolicy, reading, {});
  return rules;
}
