import * as z from 'zod';
import { type Answer, ok, refusal } from './answers.ts';
import type { ObjectTable } from './object-table.ts';
import type { RawObject } from './raw-object.ts';

export interface PageRequest {
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
  /** The maximum, whatever the request's limit says. */
  readonly size: number;
}

/** Lists in pages of one version, as long as the history reaches back to it. */
export interface Pages {
  page(collection: string, request: PageRequest): Answer;
}

const tokenSchema = z.object({ version: z.number(), start: z.number() });

export function createPages(table: ObjectTable): Pages {
  const moments = new Map<string, readonly RawObject[]>();

  function objectsAt(collection: string, version: number): readonly RawObject[] | undefined {
    const moment = `${collection}@${version}`;
    if (version === table.version()) moments.set(moment, table.list(collection));
    return table.since(collection, version) ? moments.get(moment) : undefined;
  }

  return {
    page(collection, { namespace, query, size }) {
      const token = query.get('continue');
      const { version, start } = token
        ? tokenSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString()))
        : { version: table.version(), start: 0 };
      const objects = objectsAt(collection, version);
      if (!objects) return refusal(410, 'Expired', 'The provided continue parameter is too old');

      const selected = objects.filter(
        (object) =>
          (namespace === undefined || object.metadata.namespace === namespace) &&
          isSelected(object, query.get('fieldSelector')) &&
          hasLabels(object, query.get('labelSelector')),
      );
      const end = start + Math.min(Number(query.get('limit') ?? size), size);
      const next = { version, start: end };
      const more = end < selected.length ? { continue: Buffer.from(JSON.stringify(next)).toString('base64url') } : {};
      return ok({
        metadata: { resourceVersion: `${version}`, ...more },
        items: selected.slice(start, end),
      });
    },
  };
}

function isSelected({ spec, metadata }: RawObject, selector: string | null): boolean {
  const [field = '', value] = (selector ?? '').split('=');
  switch (field) {
    case 'spec.nodeName':
      return (spec?.nodeName ?? '') === value;
    case 'metadata.name':
      return metadata.name === value;
    case 'metadata.namespace':
      return metadata.namespace === value;
    default:
      return true;
  }
}

/** Requirements of a label selector: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a` and `!a`. */
const REQUIREMENT = /(!?)([\w./-]+)(?:(=|!=)([\w.-]*)| (in|notin) \(([^)]*)\))?(?:,|$)/g;

function hasLabels({ metadata: { labels = {} } }: RawObject, selector: string | null): boolean {
  return [...(selector ?? '').matchAll(REQUIREMENT)].every(([, not, key = '', equals, value, inSet, values = '']) => {
    const label = labels[key];
    if (equals === '=') return label === value;
    if (equals === '!=') return label !== value;
    if (inSet === 'in') return label !== undefined && values.split(',').includes(label);
    if (inSet === 'notin') return label === undefined || !values.split(',').includes(label);
    return (label === undefined) === (not === '!');
  });
}
