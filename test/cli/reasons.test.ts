import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { REASONS } from '../../shared/model/explanations/reasons.ts';
import { mortise } from './call.ts';

const documentSchema = z.object({
  result: z.object({
    reasons: z.array(z.object({ meaning: z.string(), causes: z.array(z.string()), fixes: z.array(z.string()) })),
  }),
});

describe('mortise reasons', () => {
  it('explains one reason with its meaning, causes and fixes', async () => {
    expect((await mortise(['reasons', 'taint-not-tolerated'])).stdout).toBe(
      [
        'taint-not-tolerated (scheduling)',
        '  sentence  taint {taint} not tolerated',
        '  meaning   The NodePool taints its nodes, and the pod does not tolerate the taint.',
        '  causes    the NodePool is meant for other pods',
        '            a toleration is missing',
        '  fixes     add the toleration to the pod, or use a NodePool without the taint',
        '',
      ].join('\n'),
    );
  });

  it('has a meaning for every reason, and a cause or a fix', async () => {
    const { stdout } = await mortise(['reasons', '-o', 'json']);
    const { reasons } = documentSchema.parse(JSON.parse(stdout)).result;

    expect(reasons).toHaveLength(Object.keys(REASONS).length);
    for (const { meaning, causes, fixes } of reasons) {
      expect(meaning).toMatch(/^[A-Z].+\.$/);
      expect(causes.length + fixes.length).toBeGreaterThan(0);
    }
  });
});
