/** Lines of code: blank lines and those that are only a comment do not count. */
export function countLines(text: string, language: "ts" | "sql"): number {
  let lines = 0;
  let inComment = false;
  for (const line of text.split("\n").map((each) => each.trim())) {
    const opens = language === "ts" && line.startsWith("/*");
    const isComment = inComment || opens || line.startsWith(language === "ts" ? "//" : "--");
    if (line !== "" && !isComment) lines++;
    if (inComment || opens) inComment = !line.endsWith("*/");
  }
  return lines;
}
