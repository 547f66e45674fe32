/** Against a hang, on a machine that does a lot else at the same time. */
export const patienceMs = 45_000;

/** What `promise` becomes, or a loud failure that names what was awaited. The bound is for a hang, not for speed. */
export async function withinDeadline<T>(
  what: string,
  promise: Promise<T>,
  deadlineMs = patienceMs,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
