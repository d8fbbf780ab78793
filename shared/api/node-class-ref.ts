import * as z from 'zod';
import type { NodeClassRef } from '../model/node-pool.ts';
import { quoted, ruleRefused } from './finding.ts';
import { refuse } from './read-with-schema.ts';

const nonEmpty = z.string().superRefine((text, ctx) => {
  if (text !== '') return;
  refuse(
    ctx,
    ruleRefused(
      'NP-10',
      'empty reference',
      'group, kind and name may not be empty',
      'name the class',
    ),
  );
});

export const nodeClassRefSchema = z.object({
  group: nonEmpty.superRefine((group, ctx) => {
    if (!group.includes('/')) return;
    const [name = ''] = group.split('/');
    refuse(
      ctx,
      ruleRefused(
        'nodeClassRef group',
        `${quoted(group)} is no group`,
        'a group has no version',
        `write ${name}`,
      ),
    );
  }),
  kind: nonEmpty,
  name: nonEmpty,
});

/** A class of another kind belongs to somebody else, with its pools. */
export const isOurClass = ({ group, kind }: NodeClassRef): boolean =>
  group === 'karpenter.k8s.aws' && kind === 'EC2NodeClass';
