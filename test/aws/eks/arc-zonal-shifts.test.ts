import { afterEach, describe, expect, it } from 'vitest';
import { arcShiftSource } from '../../../shared/aws/eks/arc-zonal-shifts.ts';
import { HOUR_MS } from '../../../shared/model/time.ts';
import type { ShiftSource } from '../../../shared/ports/cloud.ts';
import { shiftSourceContract } from '../../contracts/shift-source-contract.ts';
import { NOON } from '../../support/builders.ts';
import { type LocalArc, startArc } from '../support/local-arc.ts';

const CLUSTER = 'arn:aws:eks:eu-west-1:123456789012:cluster/demo';
const KEYS = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };

const started: LocalArc[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((arc) => arc.stop()));
});

async function anArc(): Promise<{ readonly arc: LocalArc; readonly source: ShiftSource }> {
  const arc = await startArc(CLUSTER);
  started.push(arc);
  const { endpoint } = arc;
  const settings = { region: 'eu-west-1', clusterArn: CLUSTER, endpoint };
  return { arc, source: arcShiftSource(settings, async () => KEYS) };
}

async function whyUnknown(source: ShiftSource): Promise<string | undefined> {
  const answer = await source.findShifts(NOON);
  return answer.outcome === 'unknown' ? answer.why : undefined;
}

shiftSourceContract('ARC', async () => {
  const { arc, source } = await anArc();
  return {
    source,
    shift: (zoneId, until) => arc.shift(zoneId, until),
    end: arc.end,
    unregister: () => arc.refuse(404, 'ResourceNotFoundException'),
    fail: () => arc.refuse(403, 'AccessDeniedException'),
  };
});

describe('the source of zonal shifts', () => {
  it('signs the request for its service and region', async () => {
    const { arc, source } = await anArc();
    await source.findShifts(NOON);

    const [signature] = arc.signatures;
    expect(signature).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/arc-zonal-shift\//);
    expect(signature).toContain('x-amz-security-token');
  });

  it('returns applied shifts only', async () => {
    const { arc, source } = await anArc();
    arc.shift('euw1-az1', NOON + HOUR_MS, { appliedStatus: 'NOT_APPLIED' });
    arc.autoshift('euw1-az2', 'NOT_APPLIED');

    expect(await source.findShifts(NOON)).toEqual({ outcome: 'told', shifts: [] });
  });

  it('returns autoshifts, whose end is unknown, for at least an hour', async () => {
    const { arc, source } = await anArc();
    arc.autoshift('euw1-az2', 'APPLIED');

    const shifts = [{ zoneId: 'euw1-az2', until: NOON + 2 * HOUR_MS }];
    expect(await source.findShifts(NOON)).toEqual({ outcome: 'told', shifts });
    expect(await source.findShifts(NOON + HOUR_MS - 1)).toEqual({ outcome: 'told', shifts });
  });

  it('returns the longer of two shifts of a zone', async () => {
    const { arc, source } = await anArc();
    arc.autoshift('euw1-az1', 'APPLIED');
    arc.shift('euw1-az1', NOON + 9 * HOUR_MS);

    const shifts = [{ zoneId: 'euw1-az1', until: NOON + 9 * HOUR_MS }];
    expect(await source.findShifts(NOON)).toEqual({ outcome: 'told', shifts });
  });

  it.each([
    [403, 'AccessDeniedException', 'ARC answered 403 AccessDeniedException'],
    [404, 'UnknownOperationException', 'ARC answered 404 UnknownOperationException'],
  ])('reports the error %i %s as unknown', async (status, error, why) => {
    const { arc, source } = await anArc();
    arc.refuse(status, error);

    expect(await whyUnknown(source)).toContain(why);
  });

  it('reports an unreachable endpoint as unknown', async () => {
    const { arc, source } = await anArc();
    await arc.stop();
    started.length = 0;

    expect(await whyUnknown(source)).toContain('cannot be reached');
  });
});
