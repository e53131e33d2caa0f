import { Labels, labelTexts } from "@waymark/shared/services/labels/schema.ts";
import type { Service, ServiceUpdate } from "@waymark/shared/services/schema.ts";

/** The texts of the form for a service's settings. */
export interface ServiceSettings {
  name: string;
  /** One a line. */
  aliases: string;
  /** `key=value`, one a line. */
  labels: string;
  repository: string;
  documentation: string;
  onCall: string;
  /** The slug of the team that owns it; empty for none. */
  owner: string;
  archived: boolean;
}

/** Returns the settings that a service has. */
export function settingsOf({
  name,
  aliases,
  labels,
  links,
  ownerTeam,
  archivedAt,
}: Service): ServiceSettings {
  return {
    name,
    aliases: aliases.join("\n"),
    labels: labelTexts(labels).join("\n"),
    repository: links.repository ?? "",
    documentation: links.documentation ?? "",
    onCall: links.onCall ?? "",
    owner: ownerTeam?.slug ?? "",
    archived: archivedAt !== null,
  };
}

/** Reads the labels of a form. Says which line is wrong, if one is. */
export function readSettings({ labels: text }: ServiceSettings): { labels?: Labels; labelsProblem?: string } {
  const labels: Record<string, string> = {};
  for (const line of linesOf(text)) {
    const at = line.indexOf("=");
    if (at === -1) return { labelsProblem: `“${line}” has no “=”: write key=value.` };
    const key = line.slice(0, at).trim();
    if (Object.hasOwn(labels, key)) return { labelsProblem: `“${key}” is there twice.` };
    const one = Labels.safeParse({ [key]: line.slice(at + 1).trim() });
    if (!one.success) {
      const [issue] = one.error.issues;
      return { labelsProblem: `“${line}”: ${issue?.path.length === 0 ? "" : "a part "}${issue?.message}.` };
    }
    Object.assign(labels, one.data);
  }
  const all = Labels.safeParse(labels);
  return all.success ? { labels: all.data } : { labelsProblem: `There ${all.error.issues[0]?.message}.` };
}

/** Returns what differs between a form and its service. */
export function updateOf(service: Service, settings: ServiceSettings, labels: Labels): ServiceUpdate {
  const before = settingsOf(service);
  const { name, archived } = settings;
  const aliases = linesOf(settings.aliases);
  const links = {
    repository: orNull(settings.repository),
    documentation: orNull(settings.documentation),
    onCall: orNull(settings.onCall),
  };
  const isRenamed = name !== before.name;
  const hasOtherAliases = linesOf(before.aliases).join("\n") !== aliases.join("\n");
  return {
    ...(isRenamed && { name }),
    // Without them, the server adds the name before to the aliases.
    ...(hasOtherAliases && {
      aliases: [...new Set([...aliases, ...(isRenamed ? [before.name] : [])])].filter(
        (alias) => alias !== name,
      ),
    }),
    ...(settings.labels !== before.labels && { labels }),
    ...(JSON.stringify(links) !== JSON.stringify(service.links) && { links }),
    ...(settings.owner !== before.owner && { ownerTeam: orNull(settings.owner) }),
    ...(archived !== before.archived && { archived }),
  };
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}
