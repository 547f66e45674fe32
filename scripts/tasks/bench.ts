/**
 * Runs benchmarks: `bench.ts [id or name …]`, all without a name. One JSON line a figure on standard output; the table
 * and progress for people go to standard error. Exit status 1 when a target does not hold.
 */
import { benchmarks } from '../../test/bench/benchmarks.ts';
import { jsonLine } from '../../test/bench/figure.ts';
import type { Figure } from '../../test/bench/figure.ts';
import { PlainFailure, runCommand } from '../setup/setupFault.mjs';

await runCommand(async () => {
  const wanted = process.argv.slice(2).map((word) => word.toLowerCase());
  const known = benchmarks.flatMap(({ id, name }) => [id.toLowerCase(), name.toLowerCase()]);
  const unknown = wanted.filter((word) => !known.includes(word));
  if (unknown.length > 0) {
    const list = benchmarks.map(({ id, name }) => `${id} (${name})`).join(', ');
    throw new PlainFailure(`There is no benchmark ${unknown.join(', ')}. There are: ${list}`);
  }
  const chosen = benchmarks.filter(
    ({ id, name }) =>
      wanted.length === 0 || wanted.includes(id.toLowerCase()) || wanted.includes(name.toLowerCase()),
  );
  let holds = true;
  for (const benchmark of chosen) {
    console.error(`\n${benchmark.id} ${benchmark.name}`);
    const figures = await benchmark.run((text) => console.error(`  ${text}`));
    console.error(table(figures));
    for (const figure of figures) console.log(jsonLine(figure));
    holds &&= figures.every((figure) => figure.holds);
  }
  return holds ? 0 : 1;
});

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.label,
    String(figure.ours),
    figure.peer === null ? '–' : String(figure.peer),
    figure.ratio === null ? '–' : `${figure.ratio}×`,
    figure.target,
    figure.holds ? 'holds' : 'does not hold',
  ]);
  const header = ['', 'ours', 'peer', 'ratio', 'target', ''];
  const widths = header.map((_, at) => Math.max(...[header, ...rows].map((row) => (row[at] ?? '').length)));
  return [header, ...rows]
    .map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`)
    .join('\n');
}
