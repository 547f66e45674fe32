/** Where this machine keeps what people delete. */
export interface LocalTrashPort {
  /**
   * Moves a file or an empty directory there. `path`: absolute; names that are no text have none. Rejects with `no-trash`, where nothing was
   * moved, and never deletes for good.
   */
  take(path: string): Promise<void>;
}
