import { createHash } from "node:crypto";
import {
  findingIdentity,
  type IdentifiedFinding,
} from "@waymark/shared/scans/finding-decisions/finding-identity.ts";

/** Returns 32 hexadecimal digits that are equal for findings that one decision covers. The SQL function of this name returns the same. */
export function findingFingerprint(finding: IdentifiedFinding): string {
  return createHash("sha256").update(findingIdentity(finding)).digest("hex").slice(0, 32);
}
