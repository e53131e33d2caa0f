// One file, so that a new key can be shown as soon as it was created.
export { ApiKeyDialog } from "./api-key-dialog.tsx";
export { CreateKeyDialog } from "./create-key-dialog.tsx";
export { NewKeyDialog } from "./new-key-dialog.tsx";
