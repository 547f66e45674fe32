/** For work that nobody gives up: its own bounds end it. Who waits says so by passing this, and never by leaving a signal out. */
export const neverAborted: AbortSignal = new AbortController().signal;
