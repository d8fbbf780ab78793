import { isQuantity } from '../../model/quantity.ts';

const MISSPELT = /^([+-]?[\d.]+)([kmgtpe]?)(i?)(b?)(?:ytes?)?$/i;

/** `4Gi` for `4GiB`, `4 Gi` or `4gib`; `4G` for `4GB`; `500m` for `500 m`. */
export function meantQuantity(text: string): string | undefined {
  const match = MISSPELT.exec(text.replaceAll(/[\s_]/g, ''));
  const [, amount = '', letter = '', binary, byte] = match ?? [];
  const isMilli = letter === 'm' && !binary && !byte;
  const large = letter.toUpperCase();
  const suffix = binary ? `${large}i` : isMilli || large === 'K' ? letter.toLowerCase() : large;
  const meant = `${amount}${suffix}`;
  return isQuantity(meant) ? meant : undefined;
}
