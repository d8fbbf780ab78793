/** Whether budgets can compute a schedule: five fields in range, or a macro, in UTC. */

const MACROS: ReadonlySet<string> = new Set(
  ['yearly', 'annually', 'monthly', 'weekly', 'daily', 'midnight', 'hourly'].map(
    (name) => `@${name}`,
  ),
);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface CronField {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly CronField[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];

export function isCron(schedule: string): boolean {
  if (schedule.startsWith('@')) return MACROS.has(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  return (
    parts.length === FIELDS.length &&
    FIELDS.every((field, index) => isField(parts[index] ?? '', field))
  );
}

const isField = (text: string, field: CronField): boolean =>
  text.split(',').every((part) => isPart(part, field));

function isPart(part: string, field: CronField): boolean {
  const [range = '', step, ...more] = part.split('/');
  if (more.length > 0 || (step !== undefined && !/^[1-9][0-9]*$/.test(step))) return false;
  if (range === '*' || range === '?') return true;
  const [from, to = from, ...rest] = range.split('-').map((text) => numberOf(text, field));
  return rest.length === 0 && from !== undefined && to !== undefined && from <= to;
}

/** Absent: out of range, or no number and no name. */
function numberOf(text: string, { least, most, names = [] }: CronField): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + least;
  if (!/^[0-9]+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}
