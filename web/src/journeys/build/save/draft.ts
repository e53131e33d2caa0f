import { z } from "zod";

const StoredDraft = z.object({ text: z.string(), savedAt: z.string() });

/** A text that is not saved yet, and the version that it was made from. */
export interface Draft {
  version: number;
  text: string;
  savedAt: string;
}

type Drafts = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const keyOf = (journeyId: string, version: number) => `waymark.draft.${journeyId}.${version}`;

/** The draft of a document that this browser keeps; of several versions' drafts the one of the newest version. */
export function findDraft(drafts: Drafts, journeyId: string): Draft | undefined {
  const prefix = `waymark.draft.${journeyId}.`;
  const versions = Array.from({ length: drafts.length }, (_, at) => drafts.key(at) ?? "")
    .filter((key) => key.startsWith(prefix))
    .map((key) => Number(key.slice(prefix.length)));
  for (const version of versions.toSorted((a, b) => b - a)) {
    const stored = parsed(drafts.getItem(keyOf(journeyId, version)) ?? "");
    if (stored !== undefined) return { version, ...stored };
  }
  return undefined;
}

function parsed(text: string): z.infer<typeof StoredDraft> | undefined {
  try {
    return StoredDraft.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @returns whether the browser kept it: its storage may be full */
export function keepDraft(drafts: Drafts, journeyId: string, { version, text, savedAt }: Draft): boolean {
  try {
    drafts.setItem(keyOf(journeyId, version), JSON.stringify({ text, savedAt }));
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

export function removeDraft(drafts: Drafts, journeyId: string, version: number): void {
  drafts.removeItem(keyOf(journeyId, version));
}
