import { useEffect, useRef, useState } from "react";
import { keepDraft, removeDraft } from "./draft.ts";

const KEEP_AFTER_MS = 300;

export interface BaseVersion {
  version: number;
  text: string;
}

/** Keeps the text in the browser while it differs from the version that it was made from. @returns whether that works */
export function useDraft(journeyId: string, base: BaseVersion, text: string): boolean {
  const [isKept, setIsKept] = useState(true);
  const keep = () => {
    if (text !== base.text) {
      const savedAt = new Date().toISOString();
      return keepDraft(localStorage, journeyId, { version: base.version, text, savedAt });
    }
    removeDraft(localStorage, journeyId, base.version);
    return true;
  };
  const latest = useRef(keep);
  latest.current = keep;

  useEffect(() => {
    const timer = setTimeout(() => setIsKept(latest.current()), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, base]);

  useEffect(() => () => removeDraft(localStorage, journeyId, base.version), [journeyId, base.version]);

  // Registered after the removal above, so that it runs after it when the page is left.
  useEffect(() => {
    const keepNow = () => void latest.current();
    globalThis.addEventListener("pagehide", keepNow);
    return () => {
      globalThis.removeEventListener("pagehide", keepNow);
      keepNow();
    };
  }, []);
  return isKept;
}
