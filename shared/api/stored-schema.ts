import * as z from 'zod';
import { readStored, type StoredObject } from './admission/read-stored.ts';
import { refuse } from './read-with-schema.ts';
import type { CustomKind } from './schema/custom-kind.ts';

/** Reads a stored object of the kind wherever a zod schema is asked for. */
export const storedSchema = <Spec>(kind: CustomKind<Spec>): z.ZodType<StoredObject<Spec>> =>
  z.unknown().transform((raw, ctx) => {
    const reading = readStored(kind, raw);
    if (reading.outcome === 'read') return reading.value;
    for (const { path, ...refusal } of reading.findings) refuse(ctx, refusal, path);
    return z.NEVER;
  });
