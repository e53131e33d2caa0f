/** The mark of what a CI system replaces in the values of its files, and how to write the mark itself. */
interface Replaced {
  mark: string;
  escaped: string;
}
/** An expression of GitHub Actions. */
export const GITHUB_EXPRESSION: Replaced = { mark: "${{", escaped: "${{ '${{' }}" };
/** A variable of GitLab or Buildkite. */
export const VARIABLE: Replaced = { mark: "$", escaped: "$$" };
/** A parameter of CircleCI. */
export const CIRCLECI_PARAMETER: Replaced = { mark: "<<", escaped: String.raw`\<<` };
/** A variable in the environment of a container of Kubernetes. */
export const KUBERNETES_VARIABLE: Replaced = { mark: "$(", escaped: "$$(" };

/** Returns a text in which the CI system replaces nothing. */
export function withoutReplaced(text: string, { mark, escaped }: Replaced): string {
  return text.replaceAll(mark, () => escaped);
}

/**
 * Returns a text as JSON on one line, which is also YAML, and in which the CI system replaces nothing. Invisible characters are escaped,
 * such as `\u009b`.
 */
export function yamlValue(text: string, replaced?: Replaced): string {
  const json = JSON.stringify(replaced === undefined ? text : withoutReplaced(text, replaced));
  return json.replace(
    /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
