import { z } from 'zod';
import type { WhatIfRequest } from '../screen-views.ts';
import { MAX_REPLICAS, OBJECT_KINDS } from '../views.ts';

const name = z.string().min(1).max(253);

const schema = z.strictObject({
  yaml: z.string().exactOptional(),
  fix: z
    .strictObject({
      object: z.strictObject({ kind: z.enum(OBJECT_KINDS), name: z.string().min(1).max(600) }),
      id: z.string().max(4_000),
    })
    .exactOptional(),
  scale: z.strictObject({ namespace: name, name, replicas: z.int().min(0).max(MAX_REPLICAS) }).exactOptional(),
  lostZone: name.exactOptional(),
  losesSpot: z.boolean().exactOptional(),
  spotPriceFactor: z.number().min(0.01).max(100).exactOptional(),
});

type Parsed =
  | { readonly outcome: 'parsed'; readonly request: WhatIfRequest }
  | { readonly outcome: 'refused'; readonly why: string };

export function parseWhatIf(json: unknown): Parsed {
  const { data, error } = schema.safeParse(json);
  return data ? { outcome: 'parsed', request: data } : { outcome: 'refused', why: z.prettifyError(error) };
}
