import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../shared/aws/log.ts';
import { logCalls } from '../../shared/composition/log-calls.ts';

/** Ports of which each call takes 250 ms, and the lines that were written about them. */
function logged() {
  const lines: LogLine[] = [];
  let now = 0;
  const ports = {
    table: {
      rows: ['a'],
      async read(key: string) {
        now += 250;
        if (key === '') throw new RangeError('the secret key is empty');
        return `${key}: ${this.rows.length}`;
      },
      count: () => 1,
    },
    settings: { payback: '1h' },
    pause: async () => undefined,
  };
  const clock = { now: () => now };
  return { ports, lines, calls: logCalls(ports, (line) => lines.push(line), clock) };
}

describe('logCalls', () => {
  it('writes one debug line per call, with port, call and milliseconds', async () => {
    const { calls, lines } = logged();

    expect(await calls.table.read('b')).toBe('b: 1');
    expect(lines).toEqual([{ level: 'debug', message: 'call', fields: { port: 'table', call: 'read', ms: 250 } }]);
  });

  it('names the error of a call that fails, without its text, and lets the caller have it', async () => {
    const { calls, lines } = logged();

    await expect(calls.table.read('')).rejects.toThrow('the secret key is empty');
    expect(lines.map(({ fields }) => fields)).toEqual([{ port: 'table', call: 'read', ms: 250, error: 'RangeError' }]);
  });

  it('writes nothing about calls that wait for nothing', () => {
    const { calls, lines } = logged();

    expect(calls.table.count()).toBe(1);
    expect(lines).toEqual([]);
  });

  it('leaves data and functions that are no port as they are, also in a copy of the ports', () => {
    const { calls, ports } = logged();

    expect(calls.settings).toBe(ports.settings);
    expect({ ...calls }.pause).toBe(ports.pause);
    expect(structuredClone({ ...calls }.settings)).toEqual({ payback: '1h' });
  });
});
