import type { ReportMessage } from './message.ts';
import { type Fields, toFields } from './written.ts';

const MAX_TERMS = 30;
const MAX_TAGS = 20;

/** Converts a selector map of the alpha API to terms that match the same resources. */
export function convertSelector(selector: unknown, path: string, report: ReportMessage): readonly Fields[] {
  const entries = Object.entries(toFields(selector)).map(([key, value]) => [key, partsOf(value)] as const);
  const ids = entries.filter(([key]) => key === 'aws-ids' || key === 'aws::ids');
  if (ids.length > 0)
    return byId(
      entries,
      ids.flatMap(([, values]) => values),
      path,
      report,
    );

  const names = valuesOf(entries, 'aws::name');
  const owners = valuesOf(entries, 'aws::owners');
  if (owners && !names) {
    report('X-07', `${path}.aws::owners`, 'an owner selects no image by itself: give a name beside it');
    return [];
  }
  const tags = entries.filter(([key]) => !key.startsWith('aws::'));
  const named = (names ?? []).flatMap((name) => (owners ? owners.map((owner) => ({ name, owner })) : [{ name }]));
  return combined(named.length > 0 ? named : [{}], tags, path, report);
}

/** Values are separated by commas; an empty value matches any. */
function partsOf(value: unknown): readonly string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const parts = text.split(',').map((part) => part.trim());
  const written = parts.filter((part) => part !== '');
  return written.length > 0 ? written : ['*'];
}

type Entries = readonly (readonly [key: string, values: readonly string[]])[];

const valuesOf = (entries: Entries, expected: string): readonly string[] | undefined =>
  entries.find(([key]) => key === expected)?.[1];

function byId(entries: Entries, ids: readonly string[], path: string, report: ReportMessage): readonly Fields[] {
  for (const [key] of entries) {
    if (key === 'aws-ids' || key === 'aws::ids') continue;
    report('W-06', `${path}.${key}`, 'dropped: an id names one thing, nothing can stand beside it');
  }
  return withinLimits(
    ids.map((id) => ({ id })),
    0,
    path,
    report,
  );
}

/** Lists every combination of one value for each tag, because a term must match all of its tags. */
function combined(starts: readonly Fields[], tags: Entries, path: string, report: ReportMessage): readonly Fields[] {
  const count = tags.reduce((product, [, values]) => product * values.length, starts.length);
  // Counts the combinations first: a few comma-separated lists could make millions of terms.
  if (count > MAX_TERMS || tags.length > MAX_TAGS) return tooMany(count, tags.length, path, report);
  const tagMaps = tags.reduce<readonly Fields[]>(
    (maps, [key, values]) => maps.flatMap((map) => values.map((value) => ({ ...map, [key]: value }))),
    [{}],
  );
  return starts.flatMap((start) => tagMaps.map((map) => (tags.length > 0 ? { ...start, tags: map } : start)));
}

const withinLimits = (
  terms: readonly Fields[],
  tags: number,
  path: string,
  report: ReportMessage,
): readonly Fields[] => (terms.length > MAX_TERMS ? tooMany(terms.length, tags, path, report) : terms);

function tooMany(terms: number, tags: number, path: string, report: ReportMessage): readonly Fields[] {
  report(
    'X-08',
    path,
    `becomes ${terms} terms of ${tags} tags; at most ${MAX_TERMS} terms of ${MAX_TAGS} tags are allowed`,
  );
  return [];
}
