import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { useEffect, useState } from "react";
import { checkText } from "./check-text.ts";

const CHECK_AFTER_MS = 200;
const NONE: readonly Problem[] = [];

/** The problems of a text, checked 200 ms after its last change. Until then they are those of an earlier text. */
export function useProblems(
  text: string,
  { kind, path }: Pick<JourneyDocument, "kind" | "path">,
): { problems: readonly Problem[]; isChecked: boolean } {
  const [checked, setChecked] = useState<{ text: string; problems: readonly Problem[] }>();
  const isFirst = checked === undefined;
  useEffect(() => {
    let isCurrent = true;
    const check = async () => {
      const problems = await checkText(text, { kind, path });
      if (isCurrent) setChecked({ text, problems });
    };
    const timer = setTimeout(() => void check(), isFirst ? 0 : CHECK_AFTER_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, kind, path, isFirst]);
  return { problems: checked?.problems ?? NONE, isChecked: checked?.text === text };
}
