/** True while a process with this id exists, as a zombie too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
