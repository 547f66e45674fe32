import type { HostListing } from './host.ts';

/** Programs that sign in to another machine, as words of their own. */
const signsIn =
  /(?<![\w.-])(?:ssh|autossh|sshpass|scp|sftp|sshfs|rsync|mosh|pssh|pdsh|ansible|ansible-playbook)(?![\w-])/i;

/**
 * The first of `hosts` that `text`, a command or what it reads, may sign in to: it names such a program, and the host by its label or
 * address. It catches a slip and not a purpose: nothing is expanded or decoded, and the address may be unused. Source: decisions 75.
 */
export function signsInTo(text: string, hosts: readonly HostListing[]): HostListing | undefined {
  if (!signsIn.test(text)) return undefined;
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}._:-]+/u)
    .flatMap((word) => [word, ...word.split(':')])
    .map((word) => word.replace(/\.$/, ''));
  const names = new Set(words);
  return hosts.find(
    ({ label, address }) =>
      names.has(label.toLowerCase()) || names.has(address.toLowerCase().replace(/\.$/, '')),
  );
}
