import * as z from 'zod';
import { isQuantity, parseQuantity, type WrittenQuantity } from '../../model/quantity.ts';
import { guessDuration, guessQuantity } from '../custom-resources/scalars.ts';
import { type FindingText, quote } from '../finding.ts';
import { refuse } from './read-with-schema.ts';

/** A quantity as a text or a whole number, kept as written. */
const quantitySchema = z.union([z.string(), z.int()]).superRefine((written, ctx) => {
  if (!isQuantity(written)) refuse(ctx, describeBadQuantity(written));
});

/** An amount that a container requests: any number, but never negative. */
const amountSchema = z.union([z.string(), z.number()]).superRefine((written, ctx) => {
  const quantity = parseQuantity(written);
  if (!quantity) refuse(ctx, describeBadQuantity(written));
  else if (quantity.nanos < 0n) refuse(ctx, negativeAmount(written));
});

/** Quantities by resource name. */
export const quantitiesSchema = z.record(z.string(), quantitySchema);
export const amountsSchema = z.record(z.string(), amountSchema);

const describeBadQuantity = (written: WrittenQuantity): FindingText => {
  const meant = guessQuantity(`${written}`);
  return {
    code: 'bad-quantity',
    what: `${quote(`${written}`)} is no quantity`,
    why: 'a number, then one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E m, or none',
    fix: meant ? `write ${meant}` : 'write 500m or 4Gi, for example',
  };
};

const negativeAmount = (written: WrittenQuantity): FindingText => ({
  code: 'bad-quantity',
  what: `${quote(`${written}`)} is negative`,
  why: 'nothing can ask for less than nothing',
  fix: `write ${`${written}`.replace('-', '')}`,
});

export const describeBadDuration = (text: string, pattern: RegExp, grammar: string): FindingText => {
  const meant = guessDuration(text);
  return {
    code: 'bad-duration',
    what: `${quote(text)} is no duration`,
    why: grammar,
    fix: meant !== undefined && pattern.test(meant) ? `write ${meant}` : 'write 10m, for example',
  };
};
