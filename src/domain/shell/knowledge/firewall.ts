import { exactly, rule, type ProgramRule } from '../programRule.ts';
import type { ShellWord } from '../shellTree.ts';

/** What the firewall and the guards of the machine are set to. */
export const firewall: readonly ProgramRule[] = [
  rule({
    names: ['iptables', 'ip6tables'],
    table: {
      flags: 'LSnvx',
      long: ['list', 'list-rules', 'numeric', 'verbose', 'exact', 'line-numbers'],
      refused: {
        '-Z': 'iptables -Z resets counters.',
        '-F': 'iptables -F removes the rules.',
        '-t': 'iptables -t loads the table into the kernel, and with nat the tracking of connections.',
      },
    },
    operands: (read) =>
      ['-L', '-S', '--list', '--list-rules'].some((name) => read.given.has(name)) &&
      read.operands.length <= 1 &&
      read.operands.every((word) => !word.hasPattern && /^[\w-]+$/.test(word.text))
        ? undefined
        : 'iptables without -L or -S changes the firewall.',
  }),
  { names: ['nft'], system: 'linux', check: checkNft },
  exactly(['ufw'], ['status', 'status verbose', 'status numbered', 'app list'], 'ufw changes the firewall.'),
  {
    names: ['firewall-cmd'],
    system: 'linux',
    check: (args) =>
      args.length > 0 &&
      args.every(
        (word) =>
          !word.hasPattern &&
          /^--(list-(all|all-zones|services|ports|interfaces|sources|rich-rules|icmp-blocks|forward-ports)|state|get-(default-zone|zones|active-zones|services)|permanent|zone=[\w-]+)$/.test(
            word.text,
          ),
      )
        ? undefined
        : 'firewall-cmd changes the firewall.',
  },
  exactly(['getenforce'], [''], 'getenforce takes no words.'),
  exactly(['sestatus'], ['', '-v', '-b'], 'sestatus is given something unusual.'),
  exactly(['aa-status', 'apparmor_status'], [''], 'aa-status is given something unusual.'),
  exactly(['auditctl'], ['-l', '-s'], 'auditctl changes what is audited.'),
  {
    names: ['fail2ban-client'],
    system: 'linux',
    check: (args) => {
      const [verb, jail, ...more] = args;
      const isRead = verb !== undefined && /^(status|ping|version)$/.test(verb.text) && more.length === 0;
      return isRead &&
        (jail === undefined || (!jail.hasPattern && /^[\w-]+$/.test(jail.text) && !jail.text.startsWith('-')))
        ? undefined
        : 'fail2ban-client may change bans.';
    },
  },
];

/** nft joins its words into a script, so that each may only be a name. */
function checkNft(args: readonly ShellWord[]): string | undefined {
  const words = args.filter(
    (word) => !/^(-a|-n|-nn|-s|-j|-y|--handle|--json|--numeric|--stateless)$/.test(word.text),
  );
  return words[0]?.text === 'list' &&
    words.every((word) => !word.hasPattern && /^[A-Za-z][\w.]*$/.test(word.text))
    ? undefined
    : 'nft without list changes the firewall.';
}
