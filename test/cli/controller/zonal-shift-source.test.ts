import { afterEach, describe, expect, it } from 'vitest';
import { openShiftSource } from '../../../cli/controller/controller-runtime.ts';
import { type LocalArc, startArc } from '../../aws/support/local-arc.ts';
import { NOON } from '../../support/builders.ts';

const CLUSTER = 'arn:aws:eks:eu-west-1:123456789012:cluster/demo';
const SERVER = {
  cluster: 'demo',
  region: 'eu-west-1',
  endpoint: 'https://demo.example',
  certificateAuthority: 'PEM',
};

let arc: LocalArc | undefined;
afterEach(() => arc?.stop());

const open = (endpoint: string, clusterArn?: string) =>
  openShiftSource(
    { ...SERVER, ...(clusterArn !== undefined && { clusterArn }) },
    {
      clock: { now: () => NOON },
      credentials: async () => ({ accessKeyId: 'AKID', secretAccessKey: 'secret' }),
      endpoint,
    },
  );

async function ask(clusterArn?: string) {
  arc = await startArc(CLUSTER);
  return open(arc.endpoint, clusterArn);
}

describe('the controller with zonal shifts', () => {
  it('refuses to start if it may not ask ARC, and starts if ARC fails', async () => {
    arc = await startArc(CLUSTER);
    arc.refuse(403, 'AccessDeniedException');
    await expect(open(arc.endpoint, CLUSTER)).rejects.toMatchObject({
      problems: [{ code: 'forbidden', where: 'ENABLE_ZONAL_SHIFT' }],
    });

    arc.refuse(500, 'InternalServerException');
    const source = await open(arc.endpoint, CLUSTER);
    expect((await source.findShifts(NOON)).outcome).toBe('unknown');
  });

  it('starts if the cluster is registered with ARC', async () => {
    const source = await ask(CLUSTER);

    expect(await source.findShifts(NOON)).toEqual({ outcome: 'told', shifts: [] });
  });

  it.each([undefined, `${CLUSTER}-other`])('refuses to start if the cluster is not registered: %s', async (arn) => {
    await expect(ask(arn)).rejects.toMatchObject({
      problems: [
        {
          code: 'bad-value',
          what: 'cluster demo is not registered with ARC zonal shift',
          fix: 'aws eks update-cluster-config --name demo --zonal-shift-config enabled=true, or leave the variable out',
        },
      ],
    });
  });
});
