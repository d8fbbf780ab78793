import { parseArgs } from 'node:util';
import { FAULTS } from './faults.ts';
import { drawSituation, runSituation, type SituationResult } from './run-situation.ts';

/*
 * npm run fuzz -- fixes --situations 500 --seed 1    breaks 500 working clusters, half of them twice
 *                       --situation 42 --faults 2    shows one
 *                       --verbose                    prints each situation whose first fix does not help
 */

const { values } = parseArgs({
  options: {
    situations: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    situation: { type: 'string' },
    faults: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

if (values.situation !== undefined) {
  const situation = drawSituation(seed, Number(values.situation), values.faults === '2' ? 2 : 1);
  print(JSON.stringify(situation.cluster, undefined, 1));
  print(JSON.stringify(runSituation(situation), undefined, 2));
} else {
  const half = Math.ceil(Number(values.situations) / 2);
  print(`${Object.keys(FAULTS).length} kinds of faults, seed ${seed}`);
  for (const faults of [1, 2] as const) {
    const results = Array.from({ length: half }, (_, index) => runSituation(drawSituation(seed, index, faults)));
    report(faults === 1 ? 'single faults' : 'double faults', results);
  }
}

function report(title: string, results: readonly SituationResult[]): void {
  const repaired = results.filter(({ repairs }) => repairs);
  const percent = ((100 * repaired.length) / results.length).toFixed(1);
  const missed = results.filter((one) => one.missed !== undefined);
  const unsaid = results.filter((one) => one.unsaid.length > 0);
  print(`${title}: the first fix repairs ${repaired.length} of ${results.length} (${percent} %)`);
  print(`  a single change was missed ${missed.length} times, an architecture changed unsaid ${unsaid.length} times`);
  for (const one of values.verbose ? results : []) {
    if (one.repairs && one.unsaid.length === 0) continue;
    print(
      `  ${one.index} ${one.kinds.join(' + ')}: ${one.fix ?? `NO FIX (${one.missed ?? 'none'})`} | ${one.reasons.join(' ; ')} ${one.unsaid.join()}`,
    );
  }
}
