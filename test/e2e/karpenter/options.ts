import { parseArgs } from 'node:util';
import type { RuntimeName } from './runtimes.ts';
import { DEFAULT_SUITE, SUITES } from './suites.ts';

export interface Options {
  readonly runtime: RuntimeName;
  readonly suites: readonly string[];
  readonly focus?: RegExp;
  readonly isJson: boolean;
  /** Gomega's default timeout for `Eventually`. */
  readonly timeout: string;
  /** False to count a failure that was not repeated in a new lab. */
  readonly isRepeating: boolean;
  /** Folder for the logs of failed specs. */
  readonly logs?: string;
  /** File to which each result is appended; specs that it lists as good do not run again. */
  readonly results?: string;
  readonly shard: Shard;
}

/** One of several commands that share the specs of a suite: each n-th spec, from `index` on. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** The default of the core suites; those of the AWS provider use 16 min. */
const OWN_TIMEOUT = '15m';

/**
 * @throws Error - an option is unknown or has a wrong value
 */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runtime: { type: 'string', default: 'controller' },
      functions: { type: 'boolean', default: false },
      suite: { type: 'string', multiple: true, default: [DEFAULT_SUITE] },
      focus: { type: 'string' },
      json: { type: 'boolean', default: false },
      timeout: { type: 'string', default: OWN_TIMEOUT },
      once: { type: 'boolean', default: false },
      logs: { type: 'string' },
      results: { type: 'string' },
      shard: { type: 'string', default: '1/1' },
    },
  });
  const runtime = values.functions ? 'functions' : values.runtime;
  if (runtime !== 'controller' && runtime !== 'functions') {
    throw new Error(`--runtime ${runtime}: must be controller or functions`);
  }
  const unknown = values.suite.find((name) => !Object.hasOwn(SUITES, name));
  if (unknown !== undefined) {
    throw new Error(`--suite ${unknown}: must be one of ${Object.keys(SUITES).join(', ')}`);
  }
  if (!/^(\d+(\.\d+)?[hms])+$/.test(values.timeout)) {
    throw new Error(`--timeout ${values.timeout}: must be a duration like 15m or 90s`);
  }
  return {
    runtime,
    suites: values.suite,
    ...(values.focus !== undefined && { focus: new RegExp(values.focus) }),
    isJson: values.json,
    timeout: values.timeout,
    isRepeating: !values.once,
    ...(values.logs !== undefined && { logs: values.logs }),
    ...(values.results !== undefined && { results: values.results }),
    shard: readShard(values.shard),
  };
}

function readShard(text: string): Shard {
  const [number = 0, count = 0] = /^\d+\/\d+$/.test(text) ? text.split('/').map(Number) : [];
  if (number < 1 || number > count) {
    throw new Error(`--shard ${text}: must be like 1/2, the first of two parts`);
  }
  return { index: number - 1, count };
}
