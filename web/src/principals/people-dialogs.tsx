// One file, so that the link of an invitation can be shown as soon as it was made.
export { CreateServiceAccountDialog } from "./create-service-account-dialog.tsx";
export { InviteDialog } from "./invite-dialog.tsx";
export { NewInvitationDialog } from "./new-invitation-dialog.tsx";
