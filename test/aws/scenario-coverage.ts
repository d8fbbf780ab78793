import { promises as fs } from 'node:fs';
import { discovery } from './scenario-gaps/discovery.ts';
import { drift } from './scenario-gaps/drift.ts';
import { instanceTypes } from './scenario-gaps/instance-types.ts';
import { interruption } from './scenario-gaps/interruption.ts';
import { launches } from './scenario-gaps/launches.ts';
import { offerings } from './scenario-gaps/offerings.ts';
import type { ScenarioGaps } from './scenario-gaps/scenario-gaps.ts';
import { templates } from './scenario-gaps/templates.ts';
import { validation } from './scenario-gaps/validation.ts';

export interface ScenarioGroup {
  readonly about: string;
  /** Before the number: `I16`. */
  readonly letter: string;
  readonly count: number;
  readonly gaps: ScenarioGaps;
}

/** The scenarios of the AWS side: each is shown by a test that bears its number, or named as a gap. */
export const SCENARIO_GROUPS: readonly ScenarioGroup[] = [
  { about: 'discovery and status', letter: 'D', count: 43, gaps: discovery },
  { about: 'validation and kubelet', letter: 'V', count: 25, gaps: validation },
  { about: 'instance types', letter: 'I', count: 42, gaps: instanceTypes },
  { about: 'offerings and prices', letter: 'O', count: 24, gaps: offerings },
  { about: 'filters and launches', letter: 'L', count: 35, gaps: launches },
  { about: 'batching', letter: 'B', count: 7, gaps: launches },
  { about: 'launch templates and user data', letter: 'T', count: 32, gaps: templates },
  { about: 'drift', letter: 'R', count: 12, gaps: drift },
  { about: 'interruption and jobs', letter: 'N', count: 20, gaps: interruption },
];

/** Folders whose numbers are of other catalogues; the same letters mean other things there. */
const OTHERS = /^(scheduling|model|vectors|lifecycle|cli|console|browser|benchmarks)\//;
/** Drift of this catalogue is decided there; its other numbers are of another one. */
const DRIFT_FOLDER = /^disruption\//;

/** A title that begins with numbers: `I16: …`, `I32, I33: …`, `I24-I28: …`. */
const TITLE = /['"`]((?:[A-Z]\d+)(?:(?:, |-)[A-Z]\d+)*): /g;

/** The numbers that titles of tests begin with. */
export async function shownScenarios(): Promise<ReadonlySet<string>> {
  const root = new URL('..', import.meta.url);
  const files = (await fs.readdir(root, { recursive: true }))
    .filter((file) => file.endsWith('.ts') && !OTHERS.test(file))
    .toSorted();
  const shown = await Promise.all(
    files.map(async (file) => {
      const numbers = numbersIn(await fs.readFile(new URL(file, root), 'utf8'));
      return DRIFT_FOLDER.test(file) ? numbers.filter((number) => number.startsWith('R')) : numbers;
    }),
  );
  return new Set(shown.flat());
}

/** @param source - of a file of tests */
export const numbersIn = (source: string): readonly string[] =>
  [...source.matchAll(TITLE)].flatMap(([, numbers = '']) => numbers.split(', ').flatMap(unfold));

/** `I24-I28` are five. */
function unfold(range: string): readonly string[] {
  const [from = '', to = from] = range.split('-');
  const first = Number(from.slice(1));
  const count = Math.max(Number(to.slice(1)) - first + 1, 0);
  return Array.from({ length: count }, (_, i) => `${from[0]}${first + i}`);
}
