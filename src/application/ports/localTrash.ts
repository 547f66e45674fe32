/** Where this machine keeps what people delete. */
export interface LocalTrashPort {
  /**
   * Moves a file or a directory there. `path`: absolute; names that are no text have none. Rejects when the machine has no trash, and never
   * deletes for good.
   */
  take(path: string): Promise<void>;
}
