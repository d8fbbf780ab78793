import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

describe('the options of e2e -- karpenter', () => {
  it('run the regression suite over the controller with the timeout of the suites', () => {
    expect(readOptions([])).toEqual({
      runtime: 'controller',
      suites: ['regression'],
      isJson: false,
      timeout: '15m',
      isRepeating: true,
      shard: { index: 0, count: 1 },
    });
  });

  it('take --functions for --runtime functions', () => {
    expect(readOptions(['--functions']).runtime).toBe('functions');
  });

  it('read the second of three parts', () => {
    expect(readOptions(['--shard', '2/3']).shard).toEqual({ index: 1, count: 3 });
  });

  it.each([
    [['--shard', '3/2'], '--shard 3/2: must be like 1/2'],
    [['--shard', '0/2'], '--shard 0/2: must be like 1/2'],
    [['--shard', 'half'], '--shard half: must be like 1/2'],
    [['--suite', 'storage'], '--suite storage: must be one of'],
    [['--runtime', 'pod'], '--runtime pod: must be controller or functions'],
    [['--timeout', '15'], '--timeout 15: must be a duration like 15m or 90s'],
  ])('reject %j and name the remedy', (args, problem) => {
    expect(() => readOptions(args)).toThrow(problem);
  });
});
