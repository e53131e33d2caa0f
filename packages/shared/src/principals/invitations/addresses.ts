// Method and path of each operation: all that a client needs of it at run time.
export const listInvitations = { method: "GET", path: "/api/invitations" } as const;
export const createInvitation = { method: "POST", path: "/api/invitations" } as const;
export const deleteInvitation = { method: "DELETE", path: "/api/invitations/:invitationId" } as const;
export const acceptInvitation = { method: "POST", path: "/api/invitation-acceptances" } as const;
