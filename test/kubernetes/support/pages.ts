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
          isSelected(object, query.get('fieldSelector')),
      );
      const end = start + Math.min(Number(query.get('limit') ?? size), size);
      const next = { version, start: end };
      const more =
        end < selected.length
          ? { continue: Buffer.from(JSON.stringify(next)).toString('base64url') }
          : {};
      return ok({
        metadata: { resourceVersion: `${version}`, ...more },
        items: selected.slice(start, end),
      });
    },
  };
}

function isSelected({ spec, metadata }: RawObject, selector: string | null): boolean {
  if (selector === 'spec.nodeName=') return spec?.nodeName === undefined;
  const [field, value] = (selector ?? '').split('=');
  if (field === 'metadata.name') return metadata.name === value;
  return field !== 'metadata.namespace' || metadata.namespace === value;
}
