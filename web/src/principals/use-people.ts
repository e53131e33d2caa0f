import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as principals from "@waymark/shared/principals/addresses.ts";
import * as invitations from "@waymark/shared/principals/invitations/addresses.ts";
import {
  CreatedInvitation,
  type CreateInvitationRequest,
  InvitationList,
} from "@waymark/shared/principals/invitations/schema.ts";
import * as roles from "@waymark/shared/principals/roles/addresses.ts";
import { type GrantRoleRequest, Role, RoleGrant, RoleList } from "@waymark/shared/principals/roles/schema.ts";
import { Principal } from "@waymark/shared/principals/schema.ts";
import { callApi } from "../lib/api.ts";
import { SESSION } from "../lib/api-queries.ts";
import { readQuery } from "../lib/read-query.ts";
import { TEAMS } from "../lib/use-teams.ts";
import { INVITATIONS, principalQuery, ROLES } from "./api-queries.ts";

export function usePrincipal(principalId: string) {
  return useQuery(readQuery(principalQuery(principalId), Principal));
}

export function useRoles() {
  return useQuery({ ...readQuery(ROLES, RoleList), select: ({ roles: all }) => all });
}

export function useInvitations() {
  return useQuery({ ...readQuery(INVITATIONS, InvitationList), select: (list) => list.invitations });
}

export type RoleChange<Input> = ReturnType<typeof usePeopleChange<Input, unknown>>;

/** A change, after which everything about people is read again, also after a refusal: somebody else may have changed it. */
export function usePeopleChange<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["principals"] }),
        client.invalidateQueries({ queryKey: TEAMS.queryKey }),
        // A role of the signed-in user may have changed.
        client.invalidateQueries({ queryKey: SESSION.queryKey, exact: true }),
      ]),
  });
}

export function useInvite() {
  return usePeopleChange((body: CreateInvitationRequest) =>
    callApi(invitations.createInvitation, { body }, { read: CreatedInvitation }),
  );
}

export function useWithdrawInvitation() {
  return usePeopleChange((invitationId: string) =>
    callApi(invitations.deleteInvitation, { params: { invitationId } }),
  );
}

export function useCreateServiceAccount() {
  return usePeopleChange((displayName: string) =>
    callApi(
      principals.createServiceAccount,
      { body: { type: "service_account", displayName } },
      { read: Principal },
    ),
  );
}

export function useRenamePrincipal(principalId: string) {
  return usePeopleChange((displayName: string) =>
    callApi(
      principals.renamePrincipal,
      { params: { principalId }, body: { displayName } },
      { read: Principal },
    ),
  );
}

export function useSetPrincipalDisabled(principalId: string) {
  return usePeopleChange((disabled: boolean) =>
    callApi(
      disabled ? principals.disablePrincipal : principals.enablePrincipal,
      { params: { principalId }, body: {} },
      { read: Principal },
    ),
  );
}

export function useGrantRole(principalId: string) {
  return usePeopleChange((body: GrantRoleRequest) =>
    callApi(roles.grantRole, { params: { principalId }, body }, { read: RoleGrant }),
  );
}

export function useTakeRole(principalId: string) {
  return usePeopleChange((roleGrantId: string) =>
    callApi(roles.revokeRole, { params: { principalId, roleGrantId } }),
  );
}

export function useSetRole() {
  return usePeopleChange(({ name, permissions }: { name: string; permissions: string[] }) =>
    callApi(roles.setRole, { params: { roleName: name }, body: { permissions } }, { read: Role }),
  );
}

export function useDeleteRole() {
  return usePeopleChange((roleName: string) => callApi(roles.deleteRole, { params: { roleName } }));
}
