const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/**
 * The path of a target that names a whole address, as clients of a proxy send it: hooks and routes then see one form
 * alone, and no redirect leads to a host that the client chose.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = target.replace(ABSOLUTE, "");
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`;
}
