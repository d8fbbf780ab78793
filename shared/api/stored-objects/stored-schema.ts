import * as z from 'zod';
import { refuse } from '../builtin-resources/read-with-schema.ts';
import type { ParseResult } from '../finding.ts';
import type { CustomKind } from '../schema/custom-kind.ts';
import { readStored, readStoredSpec, type StoredObject } from './read-stored.ts';

/** Wraps the reader of a stored object as a zod schema. */
export const storedSchema = <Spec>(kind: CustomKind<Spec>): z.ZodType<StoredObject<Spec>> =>
  schemaOf((raw) => readStored(kind, raw));

/** Wraps the reader of a stored spec as a zod schema. */
export const storedSpecSchema = <Spec>(kind: CustomKind<Spec>): z.ZodType<Spec> =>
  schemaOf((raw) => readStoredSpec(kind, raw));

const schemaOf = <T>(read: (raw: unknown) => ParseResult<T>): z.ZodType<T> =>
  z.unknown().transform((raw, ctx) => {
    const reading = read(raw);
    if (reading.outcome === 'read') return reading.value;
    for (const { path, ...refusal } of reading.findings) refuse(ctx, refusal, path);
    return z.NEVER;
  });
