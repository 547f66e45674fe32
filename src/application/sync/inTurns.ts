/** Works through the items, so many at the same time. Rejects with the first rejection, when what is under way has settled. */
export async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const failures: unknown[] = [];
  const turn = async (): Promise<void> => {
    for (const item of rest) {
      await work(item).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, turn));
  if (failures.length > 0) throw failures[0];
}
