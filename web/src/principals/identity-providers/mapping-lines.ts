import type { IdentityProvider } from "@waymark/shared/principals/identity-providers/schema.ts";
import { z } from "zod";

type MappedRole = IdentityProvider["roles"][number];
type MappedTeam = IdentityProvider["teams"][number];

/** Stands for everybody who may sign in. */
const EVERYBODY = "*";

/** A line that can't be read. */
export class MappingError extends Error {}

/** Writes roles of groups as lines, such as `engineers = developer for shop-*`. @param everybody how the group of all is written */
export function linesOfRoles(roles: readonly MappedRole[], everybody = EVERYBODY): string {
  return roles
    .map(({ group, role, serviceNames }) => {
      const names = serviceNames === null ? "" : ` for ${serviceNames.map(writeService).join(", ")}`;
      return `${group === null ? everybody : writeGroup(group, everybody)} = ${role}${names}`;
    })
    .join("\n");
}

/** Reads the lines of `linesOfRoles`. @throws MappingError */
export function rolesOfLines(text: string): MappedRole[] {
  return readLines(text, "group = role").map(([group, value]) => {
    const [role = "", ...names] = value.split(" for ");
    const services = valuesOf(names.join(" for ").replaceAll(",", "\n")).map(readName);
    return {
      group: group === EVERYBODY ? null : readName(group),
      role: role.trim(),
      serviceNames: names.length === 0 ? null : services,
    };
  });
}

/** Writes teams of groups as lines, such as `payments = payments`. */
export function linesOfTeams(teams: readonly MappedTeam[]): string {
  return teams.map(({ group, team }) => `${writeGroup(group)} = ${team}`).join("\n");
}

/** Reads the lines of `linesOfTeams`. @throws MappingError */
export function teamsOfLines(text: string): MappedTeam[] {
  return readLines(text, "group = team").map(([group, team]) => ({ group: readName(group), team }));
}

/** Writes groups as lines. */
export function linesOfGroups(groups: readonly string[]): string {
  return groups.map((group) => writeGroup(group)).join("\n");
}

/** Reads the lines of `linesOfGroups`. @throws MappingError */
export function groupsOfLines(text: string): string[] {
  return valuesOf(text).map(readName);
}

function writeGroup(group: string, everybody = EVERYBODY): string {
  return writeName(group, group === everybody);
}

function writeService(name: string): string {
  return writeName(name, /[,=]/.test(name));
}

/** Writes a name as it is, or as a JSON string if it has syntax of the lines or if reading the lines would change it. */
function writeName(name: string, hasSyntax: boolean): string {
  if (!hasSyntax && name === name.trim() && !/^"|\n/.test(name)) return name;
  return JSON.stringify(name)
    .replaceAll(",", String.raw`\u002c`)
    .replaceAll("=", String.raw`\u003d`);
}

function readName(written: string): string {
  if (!written.startsWith('"')) return written;
  try {
    return z.string().parse(JSON.parse(written));
  } catch (cause) {
    throw new MappingError(`${written} must be a JSON string, because it begins with a quotation mark`, {
      cause,
    });
  }
}

/** The lines of a text that are not blank, without white space around them. */
export function valuesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function readLines(text: string, form: string): [group: string, value: string][] {
  return text.split("\n").flatMap((line, at): [string, string][] => {
    if (line.trim() === "") return [];
    // Names of groups may have an equals sign: the last one divides.
    const divide = line.lastIndexOf("=");
    const [group, value] = [line.slice(0, divide).trim(), line.slice(divide + 1).trim()];
    if (divide === -1 || group === "" || value === "")
      throw new MappingError(`Line ${at + 1} must have the form: ${form}`);
    return [[group, value]];
  });
}
