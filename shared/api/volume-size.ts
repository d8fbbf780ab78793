import * as z from 'zod';
import { quoted, ruleRefused } from './finding.ts';
import { refuse } from './read-with-schema.ts';

/** The largest volume by suffix. */
const LARGEST: Readonly<Record<string, number>> = { Gi: 59_000, G: 64_000, Ti: 58, T: 64 };
const SIZE = /^([1-9][0-9]{0,4})(Gi|G|Ti|T)$/;

function isVolumeSize(text: string): boolean {
  const [, amount = '', suffix = ''] = SIZE.exec(text) ?? [];
  return amount !== '' && Number(amount) <= (LARGEST[suffix] ?? 0);
}

/** `20Gi`; kept as written. */
export const volumeSizeSchema = z.string().superRefine((text, ctx) => {
  if (isVolumeSize(text)) return;
  refuse(
    ctx,
    ruleRefused(
      'volumeSize',
      `${quoted(text)} is no volume size`,
      'whole Gi (59000 at most), G (64000), Ti (58) or T (64)',
      'write 20Gi, for example',
    ),
  );
});
