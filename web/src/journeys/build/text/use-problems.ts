import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { useCallback, useEffect, useRef, useState } from "react";
import { checkText } from "./check-text.ts";

const CHECK_AFTER_MS = 200;
const NONE: readonly Problem[] = [];

export interface Problems {
  problems: readonly Problem[];
  isChecked: boolean;
  /** Tries again to load the code that checks the text. Undefined unless that has failed. */
  retry: (() => void) | undefined;
}

/** The problems of a text, checked 200 ms after its last change. Until then they are those of an earlier text. */
export function useProblems(text: string, { kind, path }: Pick<JourneyDocument, "kind" | "path">): Problems {
  const [checked, setChecked] = useState<{ text: string; problems: readonly Problem[] }>();
  // A number that differs from the one of the last failure starts another try.
  const [tries, setTries] = useState(0);
  const [failed, setFailed] = useState(-1);
  const isFirst = useRef(true);
  const retry = useCallback(() => setTries((count) => count + 1), []);
  useEffect(() => {
    let isCurrent = true;
    const check = async () => {
      const problems = await checkText(text, { kind, path });
      if (!isCurrent) return;
      isFirst.current = false;
      setFailed(problems === undefined ? tries : -1);
      if (problems !== undefined) setChecked({ text, problems });
    };
    const timer = setTimeout(() => void check(), isFirst.current ? 0 : CHECK_AFTER_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, kind, path, tries]);
  return {
    problems: checked?.problems ?? NONE,
    isChecked: checked?.text === text,
    retry: failed === tries ? retry : undefined,
  };
}
