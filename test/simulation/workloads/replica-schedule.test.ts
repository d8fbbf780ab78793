import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import {
  nextStepAt,
  readReplicaSchedule,
  replicasAt,
} from '../../../shared/simulation/workloads/deployment-controller.ts';
import { NOON } from '../../support/builders.ts';

const schedule = (text: string) => readReplicaSchedule({ 'simulation.mortise.sh/replicas': text });
const MIDNIGHT = NOON - 12 * HOUR_MS;

describe('a replica schedule', () => {
  it.each([
    ['00:00=20 07:00=80', [20, 80]],
    ['07:00=80,00:00=20', [20, 80]],
    ['  7:30=5  ', [5]],
    ['', []],
    ['25:00=9 noon=3 08:00=many', []],
  ])('parses %j', (text, replicas) => {
    expect(schedule(text).map((step) => step.replicas)).toEqual(replicas);
  });

  it.each([
    ['at midnight', 0, 20],
    ['a millisecond before a step', 7 * HOUR_MS - 1, 20],
    ['at a step', 7 * HOUR_MS, 80],
    ['late in the evening', 23 * HOUR_MS, 80],
  ])('gives the latest step %s', (_, sinceMidnight, replicas) => {
    expect(replicasAt(schedule('00:00=20 07:00=80'), MIDNIGHT + sinceMidnight)).toBe(replicas);
  });

  it('gives the last step of the previous day until the first of the day', () => {
    expect(replicasAt(schedule('06:00=10 18:00=30'), MIDNIGHT + HOUR_MS)).toBe(30);
  });

  it('returns the next step, or the first of the next day', () => {
    const steps = schedule('06:00=10 18:30=30');

    expect(nextStepAt(steps, NOON)).toBe(MIDNIGHT + 18 * HOUR_MS + 30 * MINUTE_MS);
    expect(nextStepAt(steps, MIDNIGHT + 20 * HOUR_MS)).toBe(MIDNIGHT + 30 * HOUR_MS);
  });

  it('returns nothing without steps', () => {
    expect(replicasAt([], NOON)).toBeUndefined();
    expect(nextStepAt([], NOON)).toBeUndefined();
  });
});
