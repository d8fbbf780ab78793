import { describe, expect, it } from 'vitest';
import { onNotice } from '../../functions/interruption/on-notice.ts';
import { parseNotices } from '../../shared/aws/queues/interruption-notices.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { InterruptionNotice } from '../../shared/ports/work-queue.ts';
import { NOON } from '../support/builders.ts';
import { aRecord } from './fixture.ts';

const event = (source: string, detailType: string, detail: unknown, over: object = {}): string =>
  JSON.stringify({
    version: '0',
    id: 'e-1',
    account: '123456789012',
    region: 'us-east-1',
    time: '2026-01-01T12:00:00Z',
    // This event has the zone where others have region and account.
    resources: ['arn:aws:ec2:us-east-1a:instance/i-1'],
    source,
    'detail-type': detailType,
    detail,
    ...over,
  });

const SPOT = 'EC2 Spot Instance Interruption Warning';
const STATE = 'EC2 Instance State-change Notification';
const RESERVATION = 'EC2 Capacity Reservation Instance Interruption Warning';
const i1 = { 'instance-id': 'i-1' };

const spot = (over: object = {}) => event('aws.ec2', SPOT, { ...i1, 'instance-action': 'terminate' }, over);
const state = (name: string, over: object = {}) => event('aws.ec2', STATE, { ...i1, state: name }, over);
const health = (over: object) =>
  event('aws.health', 'AWS Health Event', {
    eventArn: 'arn:aws:health:us-east-1::event/EC2/e',
    service: 'EC2',
    eventTypeCategory: 'scheduledChange',
    affectedEntities: [{ entityValue: 'i-1' }, { entityValue: 'i-2', status: 'PENDING' }],
    ...over,
  });
const notice = (kind: InterruptionNotice['kind'], instance = 'i-1'): InterruptionNotice => ({
  kind,
  providerId: `aws:////${instance}`,
  at: NOON,
});

describe('an EventBridge event', () => {
  it.each([
    ['a spot interruption', spot(), [notice('spot-interruption')]],
    [
      'an interruption of a capacity reservation',
      event('aws.ec2', RESERVATION, { ...i1, azId: 'use1-az1' }),
      [notice('reservation-interruption')],
    ],
    [
      'a rebalance recommendation',
      event('aws.ec2', 'EC2 Instance Rebalance Recommendation', i1),
      [notice('rebalance-recommendation')],
    ],
    ['stopping', state('stopping'), [notice('instance-stopped')]],
    ['stopped', state('stopped'), [notice('instance-stopped')]],
    ['shutting-down', state('shutting-down'), [notice('instance-terminated')]],
    ['terminated', state('terminated'), [notice('instance-terminated')]],
    ['running, which is no interruption', state('running'), []],
    [
      'a scheduled change, of each instance',
      health({}),
      [notice('scheduled-change'), notice('scheduled-change', 'i-2')],
    ],
    ['an issue of EC2', health({ eventTypeCategory: 'issue' }), []],
    ['a scheduled change of RDS', health({ service: 'RDS' }), []],
    ['an event of an unknown type', event('aws.ec2', 'EC2 Something New', i1), []],
    ['an event whose type objects inherit', event('aws.ec2', 'constructor', i1), []],
    ['a state whose name objects inherit', state('constructor'), []],
    ['an event of another source', event('com.example', SPOT, i1), []],
    ['unknown fields', spot({ extra: { deep: true } }), [notice('spot-interruption')]],
    ['no resources', spot({ resources: undefined }), [notice('spot-interruption')]],
    ['milliseconds', spot({ time: '2026-01-01T12:00:00.000Z' }), [notice('spot-interruption')]],
    ['no instance', event('aws.ec2', SPOT, {}), undefined],
    ['no time', spot({ time: undefined }), undefined],
    ['not JSON', 'spot!', undefined],
    ['empty', '', undefined],
    ['something else', '[1]', undefined],
  ])('%s', (_, body, notices) => {
    expect(parseNotices(body)).toEqual(notices);
  });
});

describe('a message of the interruption queue', () => {
  async function answered(body: string, now = NOON) {
    const notices: InterruptionNotice[] = [];
    const work = onNotice({ now: () => now }, async (one) => void notices.push(one));
    await work(aRecord(body));
    return notices;
  }

  it('is handled for each of its instances', async () => {
    expect(await answered(health({}))).toHaveLength(2);
  });

  it('may be a notice that we sent again', async () => {
    const again = notice('spot-interruption');
    const body = JSON.stringify({ topic: 'interruption', notice: again });

    expect(await answered(body)).toEqual([again]);
  });

  it.each(['spot!', '{"topic":"plan"}'])('is acknowledged if it cannot be parsed: %s', async (body) => {
    expect(await answered(body)).toEqual([]);
  });

  it('is acknowledged if the instance ended long ago', async () => {
    expect(await answered(spot(), NOON + 11 * MINUTE_MS)).toEqual([]);
    expect(await answered(spot(), NOON + 5 * MINUTE_MS)).toHaveLength(1);
  });

  it('is handled at any age if EC2 still shows the same state', async () => {
    expect(await answered(state('stopped'), NOON + 11 * MINUTE_MS)).toHaveLength(1);
  });

  it('is delivered again if handling it failed', async () => {
    const work = onNotice({ now: () => NOON }, () => Promise.reject(new Error('table away')));
    await expect(work(aRecord(spot()))).rejects.toThrow('table away');
  });
});
