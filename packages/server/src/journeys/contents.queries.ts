import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { JourneyContents } from "./compiler/messages.ts";

/** Replaces what a journey calls and promises. Of documents that are not stored, nothing is. */
export async function replaceContents(
  tx: DatabaseTransactionConnection,
  { organizationId, documentId, contents }: ContentsOfDocument & { organizationId: string },
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM replace_journey_contents(${organizationId}, ${documentId}, ${JSON.stringify(contents.operations)}::jsonb,
                                         ${JSON.stringify(contents.criteria)}::jsonb)`);
}

export interface ContentsOfDocument {
  documentId: string;
  contents: JourneyContents;
}
