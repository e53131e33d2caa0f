const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/**
 * Converts an absolute request target, as clients of a proxy send it, to its path. So hooks and routes see only one form,
 * and no redirect leads to a host that the client chose.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = target.replace(ABSOLUTE, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
}
