import { contentOperands, refuseContent } from '../contentPath.ts';
import { rule, type ProgramRule } from '../programRule.ts';

/** Readers of JSON and YAML. jq has no way to write or to run; its module and file options stay out. */
export const data: readonly ProgramRule[] = [
  rule({
    names: ['jq'],
    table: {
      flags: 'rncsSeCMj',
      long: [
        'raw-output',
        'null-input',
        'compact-output',
        'slurp',
        'sort-keys',
        'exit-status',
        'color-output',
        'monochrome-output',
        'join-output',
        'tab',
      ],
      // It takes two words; the second is the first operand.
      longValued: ['arg', 'argjson'],
      refused: { '-f': 'jq -f reads its program from a file.', '-L': 'jq -L loads modules.' },
    },
    operands: (read, machine) => {
      const values = read.values.filter(({ name }) => /^--arg(json)?$/.test(name));
      if (values.length > 0 && read.behindOperands.length > 0)
        return 'jq is given more than is known to be harmless.';
      const [program, ...paths] = read.operands.slice(values.length);
      if (program?.hasPattern === true) return 'The program of jq may expand to file names; quote it.';
      if (/\b(import|include|input_line_number|modulemeta)\b/.test(program?.text ?? ''))
        return 'The program of jq may load modules.';
      return contentOperands({ ...read, operands: paths }, machine);
    },
  }),
  {
    names: ['yq'],
    system: 'linux',
    // Of yq there are several, with different options: only a plain path into one file is the same for all.
    check: ([path, file, ...more], machine) => {
      if (path === undefined || file === undefined || more.length > 0 || path.hasPattern || file.hasPattern)
        return 'Only yq with a path and one file is known to be read-only.';
      if (!/^\.[\w.-]*$/.test(path.text) || file.text.startsWith('-'))
        return 'Only yq with a path and one file is known to be read-only.';
      return refuseContent(file, machine);
    },
  },
];
