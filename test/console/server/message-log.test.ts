import { describe, expect, it } from 'vitest';
import { messageLog } from '../../../console/server/stream-hub.ts';

describe('the log of messages', () => {
  it('formats messages as numbered server-sent events', () => {
    expect(messageLog('run1').add('patch', { at: 1 }).text).toBe('id: run1.1\nevent: patch\ndata: {"at":1}\n\n');
  });

  it('returns exactly the messages that a reconnecting page has missed', () => {
    const log = messageLog('run1');
    for (const at of [1, 2, 3]) log.add('patch', { at });

    expect(log.after('run1.1')?.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(log.after('run1.3')).toEqual([]);
  });

  it.each([
    ['of another run', 'run0.2'],
    ['that is no number', 'run1.x'],
    ['of the future', 'run1.9'],
    ['of none', ''],
  ])('requires a keyframe for the id %s', (_, id) => {
    const log = messageLog('run1');
    log.add('patch', {});
    expect(log.after(id)).toBeUndefined();
  });

  it('requires a keyframe after a gap that is too old', () => {
    const log = messageLog('run1', 2);
    for (const at of [1, 2, 3, 4]) log.add('patch', { at });

    expect(log.after('run1.1')).toBeUndefined();
    expect(log.after('run1.2')?.map(({ seq }) => seq)).toEqual([3, 4]);
  });
});
