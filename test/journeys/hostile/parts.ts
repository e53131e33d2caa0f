export const ok = () => ({ status: 200, body: { t: "x".repeat(1_000) } });
export const steps = (list: readonly object[], more: object = {}) =>
  `\n  - ${JSON.stringify({ workflowId: "main", ...more, steps: list })}`;
export const step = (id: string, more: object = {}) => ({ stepId: id, operationId: "a", ...more });

export function documentOf(workflows: string): string {
  return `arazzo: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nsourceDescriptions: []\nworkflows:${workflows}`;
}
