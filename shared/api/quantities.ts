import * as z from 'zod';
import { isQuantity, parseQuantity, type WrittenQuantity } from '../model/quantity.ts';
import { quoted, type Refusal } from './finding.ts';
import { refuse } from './read-with-schema.ts';

/** A quantity as text or whole number; kept as written. */
const quantitySchema = z.union([z.string(), z.int()]).superRefine((written, ctx) => {
  if (!isQuantity(written)) refuse(ctx, badQuantity(written));
});

/** What a container asks for: never negative, and any number will do. */
const amountSchema = z.union([z.string(), z.number()]).superRefine((written, ctx) => {
  const quantity = parseQuantity(written);
  if (!quantity) refuse(ctx, badQuantity(written));
  else if (quantity.nanos < 0n) refuse(ctx, negativeAmount(written));
});

/** Quantities by resource name. */
export const quantitiesSchema = z.record(z.string(), quantitySchema);
export const amountsSchema = z.record(z.string(), amountSchema);

const badQuantity = (written: WrittenQuantity): Refusal => {
  const meant = meantQuantity(`${written}`);
  return {
    code: 'bad-quantity',
    what: `${quoted(`${written}`)} is no quantity`,
    why: 'a number, then one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E m, or none',
    fix: meant ? `write ${meant}` : 'write 500m or 4Gi, for example',
  };
};

const negativeAmount = (written: WrittenQuantity): Refusal => ({
  code: 'bad-quantity',
  what: `${quoted(`${written}`)} is negative`,
  why: 'nothing can ask for less than nothing',
  fix: `write ${`${written}`.replace('-', '')}`,
});

const MISSPELT = /^([+-]?[\d.]+)([kmgtpe]?)(i?)(b?)(?:ytes?)?$/i;

/** `4Gi` for `4GiB`, `4 Gi` or `4gib`; `4G` for `4GB`; `500m` for `500 m`. */
function meantQuantity(text: string): string | undefined {
  const match = MISSPELT.exec(text.replaceAll(/[\s_]/g, ''));
  const [, amount = '', letter = '', binary, byte] = match ?? [];
  const isMilli = letter === 'm' && !binary && !byte;
  const large = letter.toUpperCase();
  const suffix = binary ? `${large}i` : isMilli || large === 'K' ? letter.toLowerCase() : large;
  const meant = `${amount}${suffix}`;
  return isQuantity(meant) ? meant : undefined;
}
