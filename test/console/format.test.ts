import { describe, expect, it } from 'vitest';
import {
  formatCpu,
  formatDuration,
  formatMemory,
  formatMonthlyUsd,
  formatNodeUsd,
  formatPercent,
  formatTime,
  formatUsd,
  plural,
} from '../../console/format.ts';
import { NOON } from '../support/builders.ts';

describe('figures on the page', () => {
  it.each([
    [850, '850 ms'],
    [41_000, '41 s'],
    [59_999, '59 s'],
    [92_000, '1 min 32 s'],
    [120_000, '2 min'],
    [8_040_000, '2 h 14 min'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 ms'],
  ])('format a duration of %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("show four digits for a node's price, two for a cluster's and none for a month's", () => {
    expect(formatNodeUsd(0.2412)).toBe('$0.2412');
    expect(formatUsd(6.414)).toBe('$6.41');
    expect(formatMonthlyUsd(4_682.3)).toBe('$4,682');
  });

  it.each([
    [250, '0.25'],
    [1_930, '1.9'],
    [16_000, '16'],
    [0, '0'],
  ])('format %i millicores as %s CPU', (cpuMilli, text) => {
    expect(formatCpu(cpuMilli)).toBe(text);
  });

  it.each([
    [512, '512 MiB'],
    [3_891.2, '3.8 GiB'],
    [131_072, '128 GiB'],
  ])('format %d MiB as %s', (memoryMib, text) => {
    expect(formatMemory(memoryMib)).toBe(text);
  });

  it('show a dash for a share of zero', () => {
    expect(formatPercent(0 / 0)).toBe('–');
    expect(formatPercent(0.924)).toBe('92 %');
  });

  it('show times in UTC, as the records do', () => {
    expect(formatTime(NOON)).toBe('12:00:00');
  });

  it('use the singular for one', () => {
    expect([plural(1, 'pod'), plural(1_204, 'pod')]).toEqual(['1 pod', '1,204 pods']);
  });
});
