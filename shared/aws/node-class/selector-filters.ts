import type { Filter } from '@aws-sdk/client-ec2';

/** One request of its own for each set of filters; what they find is put together. */
export type SelectorQuery = readonly Filter[];

/** Any value will do. */
const ANY = '*';

interface Term {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * What to ask EC2 for so that every term has its answer: ids together, names together, tags term by
 * term, for within a term all tags must match.
 */
export function buildQueries(
  terms: readonly Term[],
  filters: { readonly id: string; readonly name?: string },
): readonly SelectorQuery[] {
  const ids = terms.flatMap(({ id }) => id ?? []);
  const names = terms.flatMap(({ id, name }) => (id === undefined ? (name ?? []) : []));
  const tagged = terms.filter(({ id, name }) => id === undefined && name === undefined);
  return [
    ...(ids.length > 0 ? [[{ Name: filters.id, Values: ids }]] : []),
    ...(filters.name && names.length > 0 ? [[{ Name: filters.name, Values: names }]] : []),
    ...tagged.map(({ tags = {} }) => buildTagFilters(tags)),
  ];
}

export const buildTagFilters = (tags: Readonly<Record<string, string>>): Filter[] =>
  Object.entries(tags).map(([key, value]) =>
    value === ANY ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
