import { listTeams } from "@waymark/shared/principals/teams/operations.ts";
import { getService, updateService } from "@waymark/shared/services/operations.ts";
import { z } from "zod";
import { type ApiConnection, call } from "./api-client.ts";

const Owner = z.object({ slug: z.string() }).nullable();
/** Servers of older versions have no owners. */
const Owned = z.object({ ownerTeam: Owner.optional() });

/** Returns the slug of the team that owns a service; null if none does, undefined if the server has no owners. */
export async function findOwner(
  connection: ApiConnection,
  serviceId: string,
): Promise<string | null | undefined> {
  const reading = { what: "reading the service's owner", read: Owned };
  const { ownerTeam } = await call(connection, getService, reading, { params: { serviceId } });
  return ownerTeam === null ? null : ownerTeam?.slug;
}

const Teams = z.object({ teams: z.array(z.object({ slug: z.string(), handles: z.array(z.string()) })) });

/** Returns the slug of the first team that has one of these names of `CODEOWNERS`, in their order. */
export async function findTeamOf(
  connection: ApiConnection,
  handles: readonly string[],
): Promise<string | undefined> {
  const { teams } = await call(connection, listTeams, { what: "listing teams", read: Teams }, {});
  return handles
    .flatMap((handle) => teams.find((team) => team.handles.includes(handle.toLowerCase())) ?? [])
    .map(({ slug }) => slug)[0];
}

/** Sets the team that owns a service. */
export async function putOwner(
  connection: ApiConnection,
  { serviceId, ownerTeam }: { serviceId: string; ownerTeam: string },
): Promise<void> {
  const reading = { what: "setting the service's owner", read: Owned };
  await call(connection, updateService, reading, { params: { serviceId }, body: { ownerTeam } });
}
