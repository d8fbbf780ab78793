import { describe, expect, it } from 'vitest';
import { gaugeMemory } from '../../functions/support/metrics.ts';
import type { Telemetry } from '../../shared/ports/ports.ts';

function gauged(peakKib: number, limitMib: string | undefined): readonly unknown[] {
  const calls: unknown[] = [];
  const gauge: Telemetry['gauge'] = (name, samples) => void calls.push([name, samples]);
  gaugeMemory({ gauge }, peakKib, limitMib);
  return calls;
}

describe('the memory of a function', () => {
  it('is published as a share of its limit', () => {
    const samples = [{ labels: {}, value: 75 }];
    expect(gauged(768 * 1024, '1024')).toEqual([['mortise_function_memory_used_percent', samples]]);
  });

  it('is not published outside of Lambda', () => {
    expect(gauged(768 * 1024, undefined)).toEqual([]);
  });
});
