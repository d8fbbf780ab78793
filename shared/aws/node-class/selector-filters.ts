import type { Filter } from '@aws-sdk/client-ec2';

/** The filters of one request. */
export type SelectorQuery = readonly Filter[];

/** The wildcard of tag values. */
const ANY = '*';

interface Term {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/**
 * Builds the requests for selector terms: one for all ids, one for all names, and one per term with
 * tags, because all tags of a term must match.
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
