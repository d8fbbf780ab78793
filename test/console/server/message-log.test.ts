import { describe, expect, it } from 'vitest';
import { messageLog } from '../../../console/server/message-log.ts';

describe('the log of messages', () => {
  it('writes messages as server-sent events, numbered', () => {
    expect(messageLog('run1').add('patch', { at: 1 }).text).toBe(
      'id: run1.1\nevent: patch\ndata: {"at":1}\n\n',
    );
  });

  it('gives who comes back what was missed, and no more', () => {
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
  ])('an id %s asks for a keyframe', (_, id) => {
    const log = messageLog('run1');
    log.add('patch', {});
    expect(log.after(id)).toBeUndefined();
  });

  it('a gap that is too long ago asks for a keyframe', () => {
    const log = messageLog('run1', 2);
    for (const at of [1, 2, 3, 4]) log.add('patch', { at });

    expect(log.after('run1.1')).toBeUndefined();
    expect(log.after('run1.2')?.map(({ seq }) => seq)).toEqual([3, 4]);
  });
});
