import { describe, expect, it } from 'vitest';
import { type BatchWindow, batchOf } from '../../shared/controllers/pod-batch.ts';
import { SECOND_MS } from '../../shared/model/time.ts';
import { aPod, NOON } from '../support/builders.ts';

const DEFAULT: BatchWindow = { idleMs: SECOND_MS, maxMs: 10 * SECOND_MS };
const PATIENT: BatchWindow = { idleMs: 5 * SECOND_MS, maxMs: 10 * SECOND_MS };

/** Pods that became pending so many seconds after noon. */
const pendingAt = (...seconds: readonly number[]) =>
  seconds.map((at) => aPod({ name: `web-${at}`, unschedulableSince: NOON + at * SECOND_MS }));
const secondsIn = (seconds: number) => NOON + seconds * SECOND_MS;
const everyTwoSeconds = pendingAt(...Array.from({ length: 30 }, (_, index) => 2 * index));

describe('the pod batch', () => {
  it('TR01: closes when nothing followed within the idle time', () => {
    const pods = pendingAt(0);

    expect(batchOf(pods, secondsIn(0.999), DEFAULT)).toEqual({
      due: false,
      closesAt: secondsIn(1),
    });
    expect(batchOf(pods, secondsIn(1), DEFAULT)).toEqual({ due: true });
  });

  it('TR02: is not held open by a pod that is told of again', () => {
    // That a pod is told of again changes nothing about since when it is unschedulable.
    const pods = pendingAt(0);

    expect(batchOf(pods, secondsIn(3), PATIENT)).toEqual({ due: false, closesAt: secondsIn(5) });
    expect(batchOf(pods, secondsIn(5), PATIENT)).toEqual({ due: true });
  });

  it('TR03: is held open by another pod', () => {
    const pods = pendingAt(0, 3);

    expect(batchOf(pods, secondsIn(6), PATIENT)).toEqual({ due: false, closesAt: secondsIn(8) });
    expect(batchOf(pods, secondsIn(9), PATIENT)).toEqual({ due: true });
  });

  it('TR04: is cut off at the maximum', () => {
    const upTo = (seconds: number) =>
      everyTwoSeconds.filter(
        ({ unschedulableSince = 0 }) => unschedulableSince <= secondsIn(seconds),
      );

    expect(batchOf(upTo(9), secondsIn(9), PATIENT)).toEqual({
      due: false,
      closesAt: secondsIn(10),
    });
    expect(batchOf(upTo(10), secondsIn(10), PATIENT)).toEqual({
      due: true,
      closesAt: secondsIn(15),
    });
    expect(batchOf(upTo(16), secondsIn(16), PATIENT)).toEqual({
      due: false,
      closesAt: secondsIn(20),
    });
    expect(batchOf(upTo(20), secondsIn(20), PATIENT)).toEqual({
      due: true,
      closesAt: secondsIn(25),
    });
  });

  it('of pods that wait for their node does not hurry those that come later', () => {
    const pods = pendingAt(0, 1, 30);

    expect(batchOf(pods, secondsIn(30), DEFAULT)).toEqual({ due: false, closesAt: secondsIn(31) });
  });

  it('does not depend on the order of the pods', () => {
    const pods = pendingAt(3, 0, 2, 1);

    expect(batchOf(pods, secondsIn(3), DEFAULT)).toEqual(
      batchOf(pods.toReversed(), secondsIn(3), DEFAULT),
    );
  });

  it('without pods is nothing to wait for', () => {
    expect(batchOf([], NOON, DEFAULT)).toEqual({ due: true });
  });
});
