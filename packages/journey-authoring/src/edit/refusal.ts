/** Why a command can't be carried out; the document stays as it is. */
export class EditRefused extends Error {
  readonly pointer: string;

  constructor(message: string, pointer = "") {
    super(message);
    this.name = "EditRefused";
    this.pointer = pointer;
  }
}
