/** Requests about single entries that are on their way together. */
const atOnce = 32;

/** Does the same to each, several at a time, in order of their start. Rejects with the first error, after what was under way has settled. */
export async function sendAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  let failure: { readonly error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    for (const item of left) {
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  if (failure !== undefined) throw failure.error;
}
