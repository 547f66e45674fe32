import { chooseDirection, chooseSides } from './chooseFolders.ts';
import { sideOfArgument } from './sideAddress.ts';
import type { SyncDesk } from './syncPorts.ts';
import { SyncSession } from './syncSession.ts';

/** Asks for two folders and a direction, compares them, and shows the plan. `argument`: what the command was called with. */
export async function compareFolders(argument: unknown, desk: SyncDesk): Promise<void> {
  const sides = await chooseSides(await sideOfArgument(argument, desk.services), desk.services);
  if (sides === undefined) return;
  const direction = await chooseDirection(sides);
  if (direction === undefined) return;
  await new SyncSession(sides, direction, desk).show();
}
