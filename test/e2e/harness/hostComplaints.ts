import type { Workbench } from './workbench.ts';

/** What must never be in a log: reading `navigator` in the extension host, and promises that nobody handled. */
const complaint =
  /PendingMigrationError|rejected promise not handled|unhandled ?rejection|Activating extension .* failed/i;

/** The editor tells of a promise that nobody handled after a second. */
const reportDelayMs = 2_000;

/**
 * The lines of extension host logs and of the page's console that tell of a fault of ours. Watches the console long
 * enough for a rejection of this moment to be reported.
 */
export async function hostComplaints(window: Workbench): Promise<string[]> {
  const seen = () =>
    [...window.server.extensionHostLog().split('\n'), ...window.console].filter((line) =>
      complaint.test(line),
    );
  if (seen().length > 0) return seen();
  await window.page
    .waitForEvent('console', {
      predicate: (message) => complaint.test(message.text()),
      timeout: reportDelayMs,
    })
    .catch(() => undefined);
  return seen();
}
